//! Beginnings that promise an answer and are none by themselves. Data only, in plain spelling, with `|` between.

/// Assent: complete as a reply to "can you …?", not to "write …".
pub(crate) static ASSENT: &str = "sure|sure thing|certainly|of course|absolutely|okay|ok|alright|all right|great|well|understood|\
     got it|happy to help|i'd be happy to help|i'd be happy to|let me think|let me see|one moment|\
     hmm|great question|good question|sure, i can help with that|certainly, i can help|\
     sure, i can help|i can help with that|let's begin|let's start|let's get started|here we go|\
     naturlich|gerne|klar|sicher|selbstverstandlich|bien sur|certainement|d'accord|avec plaisir|\
     claro|por supuesto|desde luego|claro que si|com certeza|certo|certamente|naturalmente|\
     natuurlijk|zeker|sjalvklart|absolut|oczywiscie|jasne|pewnie|jiste|samozrejme|конечно|разумеется|\
     хорошо|звичайно|tabii|tabii ki|elbette|بالطبع|بالتاكيد|जरूर|बिल्कुल|chac chan roi|tat nhien|\
     tentu|tentu saja|baik|แน่นอน|물론|물론입니다|물론이죠|네|알겠습니다|もちろん|もちろんです|承知しました|わかりました|はい|好的|当然|当然可以|没问题|\
     當然|當然可以|沒問題|可以";

/// A sentence that has only begun: an article, a preposition, an announcement.
pub(crate) static DANGLING: &str = "the|a|an|here|here is|here's|here are|here is a|here is the|here's a|here's the|here are the|\
     here are some|sure, here|sure, here is|sure! here|sure! here is|sure, here's|sure! here's|\
     certainly! here|certainly! here is|certainly! here's|of course! here|of course! here is|\
     of course! here's|this is|this|in|to|i|it|it is|there|there are|there is|based on|as|as a|for|\
     let's|let me|first|firstly|once upon a|once upon|below|below is|the following|title|\
     introduction|dear|my|we|you|by|on|at|when|with|from|if|hier|hier ist|hier sind|der|die|das|ein|\
     eine|im|voici|le|la|les|un|une|l'|aqui|aqui tienes|aqui esta|el|los|las|una|en|o|a seguir|segue|\
     ecco|il|lo|gli|de|het|een|hier zijn|har ar|det|oto|zde je|вот|ось|iste|bir|إليك|اليك|यहाँ|\
     duoi day|day la|berikut|berikut adalah|นี่คือ|다음은|다음과 같습니다|以下|以下は|以下是|下面是|这是|這是|这里是";

/// Pieces of words of which one stands where an answer breaks off, in languages that are written with ASCII
/// letters or nearly so. With `|` between; as people write them.
pub(crate) static BREAKS: &str = "orry|polog|eclin|efus|annot|an't|on't|nable|top here|gainst my|iolat|raw the line|\
     blehn|eiger|rechaz|niego|isculp|ifiut|ispiace|esculp|ecuso|pijt|iento|edsen|aaf|enolak|eddet|maalesef|fortun|\
     dmaw|rzepraszam|mlouv|ermiso|not able|not going to|not comfortable|not help|not provid|not continu";

/// How an answer begins that gives what was asked for. In plain spelling, with `|` between; cheap to look for,
/// since only the first bytes are compared.
pub(crate) static YES: &str = "yes|yes,|sure|certainly|of course|gladly|with pleasure|oui|bien sur|volontiers|ja,|ja.|naturlich|gerne|klar|si,|si.|claro|por supuesto|\
     sim,|sim.|com certeza|certo|certamente|volentieri|да,|да.|конечно|natuurlijk|zeker|tak,|oczywiscie|evet|elbette|tabii|نعم|بالتاكيد|हाँ|हां|जी हाँ|बिल्कुल,|\
     vang|tat nhien|duoc chu|visst|javisst|sjalvklart|네,|네.|네!|예,|물론|알겠습니다|はい|もちろん|承知しました|是的|当然|好的|可以的|tentu|baik,|samozrejme|ano,|звісно|так,|แน่นอน|ได้เลย";
