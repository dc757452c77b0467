//! First words of refusals that no list of phrases holds, and words that may stand between subject and
//! inability. Data only, in plain spelling, with `|` between; read while an answer is being held.

/// How a refusal may begin, beside apologies, inabilities and the like.
pub(crate) static FIRST: &str = "i need to be careful|я вынужден|я вынуждена|я должен отк|я не |я откаж|я отказ|i have to be|i will not|i won't|als intelligente|ご連絡|メッセージ|お問い合わせ|आपके |आपका |es tut m|es tut uns|mir tut|je suis desol|je suis navr|je vous pr|het spijt|jag ar ledsen|det ar|to nie jest|to jest sprz|your request|this request|the request|request|this content|that request|that's not something|\
     that is not something|this is not something|this isn't something|for safety|for ethical|\
     for legal|for privacy|due to|per my|under no|under my|while i|although i|as much as|because of|\
     given the|my guidelines|my apologies|my sincere apologies|it is not appr|it's not appr|\
     it is not eth|it's not eth|it is never|it's never|it is ill|it is uneth|it is inappr|\
     it's inappr|it is not accept|it's not accept|it is not a good|my programming|my purpose|my role|\
     out of respect|no, i|no. i|nope|not going to|absolutely not|however, i|but i can|safety is|\
     it would be|it wouldn't|i, as|to be clear|\
     first and foremost|let's address|unable to|cannot|can't|diese anfrage|dieser bitte|dabei|\
     das kann ich|das darf ich|das werde ich|solche|nein, |aus sicherheits|aus ethischen|\
     aus rechtlichen|dazu|damit kann|bei diesem|bei dieser|ce n'est pas|cette demande|\
     pour des raisons|en raison|non, je|cela va|il m'est|esa solicitud|esta solicitud|por motivos|\
     por razones|no, no|debido a|eso va|ese tema|este pedido|esse pedido|esta solicitacao|por razoes|\
     isso vai|questa richiesta|per motivi|per ragioni|no, non|e contrario|daar|dit verzoek|\
     om veiligheids|wegens|nee, |av sakerhets|den har|det kan jag|nej, |z powodow|ta prosba|\
     to wykracza|tato zadost|z bezpecnostnich|этот запрос|такие|таких|по соображениям|по этическим|\
     нет, я|это противоречит|цей запит|з міркувань|bu soru|bu istek|bu istegi|bu konu|bu talep|\
     guvenlik neden|bu tur|internete|هذا الطلب|لا |لن |لاسباب|لدواع|הבקשה|אני לא|אין |मैं |यह |इस |\
     सुरक्षा|मुझे|yeu cau nay|vi ly do|toi |permintaan|demi keamanan|saya |saya tidak|ไม่|คำขอ|\
     เพื่อความ|그 |그건|그런|그러한|해당|이 요청|이러한|요청하신|말씀하신|안전|저는|저희|제가|이 주제|이 질문|특정|누군가|타인|개인|불법|폭력|정책|윤리|その|\
     この|そのような|このような|こうした|そういった|安全上|倫理|私は|私に|ご質問|ご要望|当方|这个|這個|该|此|您的|你的|根据|根據|出于|由于|关于|對於|对于|我|作为|本|\
     涉及|请恕|不便|无法|不能|很";

/// Words that may stand between the subject and its inability: "I really can't".
pub(crate) static BRIDGES: &str = "am|was|really|simply|just|also|truly|must|have to|need to|do|very|deeply|so|absolutely|\
     currently|still|would|will|only|actually|genuinely|therefore|personally|unfortunately|\
     respectfully|strongly|am just|'m|'m really|terribly|sincerely|don't|don't think";

/// Interjections and labels before the sentence proper.
pub(crate) static INTERJECTIONS: &str = "okay, |ok, |well, |great, |no, |no. |hmm, |hmm. |hm, |oh, |ah, |hello, |hi, |hey, |hola, |bonjour, |ciao, |hallo, |ola, |oi, |hej, |czesc, |привет, |merhaba, |こんにちは、|안녕하세요, |important note: |note: |\
     response: |answer: |assistant: |error: |warning: |disclaimer: |i want to be direct with you: |\
     i want to be direct: |to be direct: |nein, |non, |no; |nao, |nee, |nej, |nie, |нет, |ні, |hayir, |你好，|您好，|你好, |您好, |はい、|いいえ、|네, |아니요, ";

/// Words that turn politeness into something else: "I understand, but …".
pub(crate) static TURNS: &str = "but |however|aber |jedoch|doch |mais |cependant|pero |sin embargo|no obstante|mas |porem|no entanto|ma |tuttavia|\
     maar |echter|men |ale |jednak|avsak|но |однако|але |проте|ama |ancak |fakat |لكن|ولكن|लेकिन|परंतु|nhung |tapi |namun |แต่|\
     但|不过|不過|可是|하지만|그러나|しかし|ですが|でも";

/// How a Korean answer begins that gives what was asked for. A Korean refusal names the matter first and
/// declines at the end of the sentence, so other beginnings say nothing.
pub(crate) static GIVING_KO: &str =
    "물론|네,|네!|네.|다음|아래|좋아|좋습니다|알겠습니다|예,|먼저|첫째|우선|여기";
