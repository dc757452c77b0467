//! What a prompt asks for, as far as single words tell. Data only, in plain spelling, with `|` between.

/// A long text is wanted.
pub(crate) static LONG: &str = "paragraph|essay|in detail|detailed|at length|thorough|comprehensive|in depth|in-depth|blog post|\
     article|a story|short story|write a report|chapter|tutorial|speech|long answer|elaborate|\
     white paper|whitepaper|cover letter|write an email|pages long|full text|aufsatz|ausfuhrlich|\
     absatze|absatzen|detailliert|geschichte uber|artikel uber|redaction|paragraphe|en detail|\
     dissertation|un article|ensayo|parrafo|detalladamente|un articulo|redacao|paragrafo|detalhad|\
     um artigo|saggio|dettagliat|un articolo|alinea|uitgebreid|uppsats|utforlig|esej|wypracowanie|\
     akapit|szczegolowo|odstavc|эссе|сочинение|абзац|подробно|твір|детально|kompozisyon|makale|\
     paragraf|ayrintili|مقال|فقرات|بالتفصيل|निबंध|विस्तार|bai luan|bai van|chi tiet|doan van|esai|\
     secara rinci|เรียงความ|에세이|자세히|상세히|문단|작문|エッセイ|作文|詳しく|段落|论文|文章|详细|詳細|短文";

/// A text of some length is wanted.
pub(crate) static MORE: &str = "write|explain|describe|summar|compare|draft|compose|translate|rewrite|generate a|create a|list |\
     outline|tell me about|how do|how can|how to|why |what are|give me|discuss|analy|review|plan |\
     proofread|edit |schreib|erklar|beschreib|zusammenfass|fasse|nenne|wie kann|warum|ecris|explique|\
     decris|resume|comment |pourquoi|escrib|explic|describ|resum|como |por que|scrivi|spiega|descriv|\
     riassum|come |perche|schrijf|leg uit|beschrijf|skriv|forklara|beskriv|napisz|wyjasnij|opisz|\
     napis|vysvetli|напиши|объясни|опиши|расскажи|почему|поясни|yaz|acikla|anlat|اكتب|اشرح|صف|लिख|\
     समझा|बता|viet |giai thich|mo ta|tulis|jelaskan|เขียน|อธิบาย|설명|써줘|작성|알려|요약|書いて|説明|教えて|要約|写|解释|\
     说明|介绍|总结|描述|寫|解釋";

/// A word or a label is enough.
pub(crate) static SHORT: &str = "one word|single word|in a word|yes or no|yes/no|true or false|true/false|only the|just the|\
     answer with|reply with|respond with|one letter|digits only|number only|only a number|only one|\
     one emoji|a label|which label|classif|categori|sentiment|single letter|multiple choice|\
     one of the following|short answer|a title|name only|nur ein wort|ja oder nein|un mot|oui ou non|\
     una palabra|si o no|uma palavra|sim ou nao|una parola|een woord|одним словом|да или нет|한 단어|\
     一言で|一个词|是或否|n/a";

/// The answer is a sign.
pub(crate) static SIGN: &str = "character|char |symbol|punctuation| mark|operator| sign|bracket|delimiter|separator|builtin|\
     comes after|comes before|comes next|which key|zeichen|symbole|simbolo|caractere|символ|знак|기호|\
     문자|記号|文字|符号|标点|字符|opening tag|separates|terminat";

/// Repetition is wanted.
pub(crate) static REPEAT: &str = "repeat| times|over and over|lyrics|chorus|chant|pattern|pad |fill |ascii|100 x|copies|wiederhol| mal |\
     repet| fois| veces| vezes| volte| keer|повтор| раз|반복| 번|回繰り返|繰り返|重复|重複| 遍";

/// HTML is wanted, or the talk is of pages and their errors.
pub(crate) static HTML: &str = "html|web page|webpage|website|page|template|landing|nginx|<";

/// A picture or a sound is wanted, which comes beside the text.
pub(crate) static MEDIA: &str = "image|picture|draw|photo|paint|illustrat|sketch|logo|icon|render|audio|song|music|video|bild|zeichne|dessin|imagen|dibuj|imagem|\
     desenh|immagin|disegn|afbeelding|teken|rysu|obraz|нарисуй|картин|изображ|resim|صورة|चित्र|hinh anh|gambar|รูป|그림|이미지|画像|絵|图|圖|画";

/// Words are to be put another way, so that they are not the model's own.
pub(crate) static REWORD: &str = "translate|translation|rephrase|paraphrase|rewrite|proofread|correct the|fix the grammar|repeat after|ubersetz|tradui|traduis|\
     traducir|traduce|traduzca|traduz|traduci|vertaal|oversatt|przetlumacz|preloz|перевед|переклад|cevir|ترجم|अनुवाद|dich sang|terjemah|แปล|\
     번역|翻訳|訳して|翻译|翻譯";

/// A refusal or an apology is what the text is to say.
pub(crate) static REFUSING: &str = "declin|refus|reject|turn down|turning down|say no|saying no|apolog|regret letter|excuse|absag|ablehn|entschuldig|rechaz|disculp|\
     recus|desculp|rifiut|scus|weiger|afwij|avboj|odmow|odmit|отказ|извин|відмов|redded|ozur|رفض|اعتذار|मना|माफ|tu choi|xin loi|menolak|\
     ปฏิเสธ|거절|사과|断り|断る|謝罪|拒绝|婉拒|道歉|拒絕";
