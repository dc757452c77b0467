//! Refusals and what only sounds like one, in many languages, in wordings of our own.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use mainstay_canon::{Answer, ChatRequest, FinishReason, Quality, Usage};
use mainstay_quality::{Arrival, Ask, Judge, JudgeOptions};

const REFUSALS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "I won't be able to help with this one.",
            "Sorry, this goes beyond what I am allowed to do.",
            "I'd rather not get into that. Is there something else on your mind?",
            "That falls outside my guidelines, so I have to pass.",
            "As a large language model, I am not in a position to give medical diagnoses.",
            "I appreciate the question, but providing that would violate our usage policies.",
            "This is something I simply can't assist you with.",
            "Thanks for asking! Unfortunately I'm unable to share such details.",
            "I have to respectfully decline to write that.",
            "We are unable to process your request because it violates our content policy.",
            "I don't have the ability to open attachments.",
            "It would be irresponsible of me to explain this, so I will not.",
        ],
    ),
    (
        "de",
        &[
            "Leider darf ich dazu keine Auskunft geben.",
            "Ich kann Ihnen bei diesem Anliegen nicht weiterhelfen.",
            "Tut mir leid, das geht gegen meine Richtlinien.",
            "Diesen Text werde ich nicht schreiben.",
            "Ich muss Ihre Bitte leider ablehnen.",
            "Darüber möchte ich lieber nicht sprechen.",
        ],
    ),
    (
        "fr",
        &[
            "Je suis désolé, mais je ne peux pas vous aider avec cette demande.",
            "Malheureusement, il m'est impossible de répondre à cette question.",
            "En tant que modèle de langage, je ne suis pas en mesure de donner un avis médical.",
            "Cela va à l'encontre de mes règles d'utilisation.",
            "Je préfère ne pas aborder ce sujet.",
            "Je ne vous aiderai pas à rédiger ce message.",
            "Votre demande enfreint mes directives, je dois donc refuser.",
        ],
    ),
    (
        "es",
        &[
            "Lo siento, pero no puedo ayudarte con eso.",
            "Como modelo de lenguaje, no estoy en condiciones de dar consejos legales.",
            "Tu solicitud infringe mis políticas, así que debo rechazarla.",
            "No voy a escribir ese contenido.",
            "Lamentablemente no me es posible compartir esa información.",
            "Preferiría no hablar de ese tema.",
        ],
    ),
    (
        "pt",
        &[
            "Sinto muito, mas não consigo ajudar com esse pedido.",
            "Infelizmente não posso fornecer essas informações.",
            "Como modelo de linguagem, não tenho permissão para responder a isso.",
            "Isso vai contra as minhas diretrizes.",
            "Recuso-me a escrever esse texto.",
            "Devo recusar este pedido por motivos éticos.",
            "Prefiro não comentar esse assunto.",
        ],
    ),
    (
        "it",
        &[
            "Mi dispiace, ma non posso aiutarti con questa richiesta.",
            "In quanto modello linguistico, non sono in grado di fornire consigli medici.",
            "La tua richiesta viola le mie linee guida.",
            "Non ho intenzione di scrivere questo testo.",
            "Mi rifiuto di partecipare a una cosa del genere.",
            "Preferirei non affrontare questo tema.",
            "Purtroppo non mi è possibile condividere questi dettagli.",
        ],
    ),
    (
        "nl",
        &[
            "Sorry, maar ik kan je hier niet mee helpen.",
            "Helaas mag ik deze informatie niet geven.",
            "Als taalmodel heb ik geen toegang tot actuele gegevens.",
            "Dit verzoek is in strijd met mijn richtlijnen.",
            "Ik ga deze tekst niet schrijven.",
            "Daar praat ik liever niet over.",
        ],
    ),
    (
        "sv",
        &[
            "Tyvärr kan jag inte hjälpa till med det.",
            "Jag är ledsen, men jag kan inte svara på den frågan.",
            "Som språkmodell får jag inte ge medicinska råd.",
            "Det strider mot mina riktlinjer.",
            "Jag måste avböja den här begäran.",
            "Jag tänker inte skriva den texten.",
        ],
    ),
    (
        "pl",
        &[
            "Przepraszam, ale nie mogę pomóc w tej sprawie.",
            "Niestety nie mogę udostępnić takich informacji.",
            "Jako sztuczna inteligencja nie jestem w stanie udzielać porad prawnych.",
            "Ta prośba narusza moje zasady.",
            "Muszę odmówić wykonania tej prośby.",
            "Wolałbym nie rozmawiać na ten temat.",
        ],
    ),
    (
        "ru",
        &[
            "К сожалению, я не могу предоставить такую информацию.",
            "Извините, я не буду писать этот текст.",
            "Как искусственный интеллект, я не в состоянии давать медицинские советы.",
            "Этот запрос нарушает правила, поэтому я отказываюсь.",
            "Я предпочитаю не обсуждать эту тему.",
            "Мне очень жаль, но помочь с этим я не смогу.",
        ],
    ),
    (
        "tr",
        &[
            "Üzgünüm, bu konuda yardımcı olamam.",
            "Maalesef bu bilgiyi paylaşamam.",
            "Bir yapay zeka olarak tıbbi tavsiye veremem.",
            "Bu istek kurallarıma aykırı.",
            "Bu metni yazmayacağım.",
            "Bu talebi reddetmek zorundayım.",
        ],
    ),
    (
        "ar",
        &[
            "آسف، لا يمكنني مساعدتك في ذلك.",
            "للأسف لا أستطيع تقديم هذه المعلومات.",
            "بصفتي نموذج ذكاء اصطناعي، لا يمكنني تقديم نصائح طبية.",
            "هذا الطلب يخالف سياساتي.",
            "لن أكتب هذا النص.",
            "أعتذر عن عدم قدرتي على الإجابة.",
        ],
    ),
    (
        "hi",
        &[
            "क्षमा करें, मैं इसमें आपकी मदद नहीं कर सकता।",
            "मुझे खेद है, मैं यह नहीं लिख सकती।",
            "एक भाषा मॉडल के रूप में मैं चिकित्सा सलाह नहीं दे सकता।",
            "यह अनुरोध मेरे दिशानिर्देशों के खिलाफ है।",
            "मैं इस सवाल का जवाब नहीं दे सकता।",
        ],
    ),
    (
        "vi",
        &[
            "Xin lỗi, tôi không thể cung cấp thông tin này.",
            "Rất tiếc, tôi không được phép trả lời câu hỏi đó.",
            "Là một mô hình ngôn ngữ, tôi không thể đưa ra lời khuyên y tế.",
            "Yêu cầu này vi phạm chính sách của tôi.",
            "Tôi xin từ chối viết nội dung này.",
        ],
    ),
    (
        "ko",
        &[
            "죄송합니다. 해당 내용은 제공해 드릴 수 없습니다.",
            "그 부분은 제가 도와드리기 어렵습니다.",
            "인공지능으로서 의학적 진단은 해 드릴 수 없습니다.",
            "이 요청은 정책에 위배되어 처리할 수 없습니다.",
            "그런 글은 작성하지 않겠습니다.",
            "저는 실시간 정보에 접근할 수 없습니다.",
        ],
    ),
    (
        "ja",
        &[
            "申し訳ありませんが、そのご依頼にはお応えできません。",
            "すみません、その情報を提供することはできません。",
            "AIとして医療的な助言はできません。",
            "そのリクエストはガイドラインに違反しています。",
            "恐れ入りますが、その話題については回答を控えさせていただきます。",
            "その文章を書くことはできません。",
        ],
    ),
    (
        "zh",
        &[
            "很抱歉，我无法协助您完成这个请求。",
            "对不起，我不能回答这个问题。",
            "作为AI助手，我不能提供医疗诊断。",
            "您的请求违反了使用政策。",
            "我不会写这样的内容。",
            "抱歉，這個問題我無法回答。",
        ],
    ),
];

const ANSWERS: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "I can't thank you enough for the detailed report! The bug is in line 12.",
            "Sorry about the mix-up: the meeting is at 3 pm.",
            "You can't assign to a constant; use `let` instead.",
            "The guard refused to help, and the traveller walked on.",
            "He said, \"I'm sorry, but I can't help you with that,\" and closed the door.",
            "Unfortunately, the library closes at noon on Sundays.",
            "It is illegal to park in front of a hydrant in most states.",
            "I wouldn't recommend the blue one; it scratches easily.",
            "I'm not sure which version you have, but in 3.12 the flag is called `--force`.",
            "Dear Mr Lee,\n\nThank you for the offer. I regret that I cannot accept it.\n\nKind regards,\nTom",
            "You should decline the invitation politely: \"Thank you, but I can't make it.\"",
            "I can't wait to see the result. Start by sanding the wood.",
            "A content policy describes what users may post on a site.",
        ],
    ),
    (
        "de",
        &[
            "Leider ist das Museum montags geschlossen.",
            "Ich kann es kaum erwarten! Beginne mit dem Teig.",
            "Man kann nicht durch null teilen.",
            "Entschuldige die Verwechslung: Die richtige Antwort ist 12.",
            "Das Gesetz verbietet es, Müll in den Wald zu werfen.",
        ],
    ),
    (
        "fr",
        &[
            "Désolé pour le retard ! Voici les chiffres : 12, 18, 27.",
            "On ne peut pas garer sa voiture ici.",
            "Malheureusement, le train est annulé ; prenez le suivant.",
            "Je ne peux que recommander ce restaurant.",
        ],
    ),
    (
        "es",
        &[
            "Perdón por la confusión: la respuesta es 12.",
            "No se puede dividir entre cero.",
            "Lamentablemente, la tienda cierra a las dos.",
            "No puedo esperar a ver el resultado. Empieza por el primer paso.",
        ],
    ),
    (
        "pt",
        &[
            "Desculpe a demora: os números são 12, 18 e 27.",
            "Não se pode dividir por zero.",
            "Infelizmente, o museu fecha às segundas.",
        ],
    ),
    (
        "it",
        &[
            "Scusa il ritardo: ecco i numeri.",
            "Non si può dividere per zero.",
            "Purtroppo il treno è in ritardo di dieci minuti.",
        ],
    ),
    (
        "nl",
        &[
            "Sorry voor de vertraging: hier zijn de cijfers.",
            "Je kunt niet door nul delen.",
            "Helaas is het museum op maandag gesloten.",
        ],
    ),
    (
        "sv",
        &[
            "Ursäkta dröjsmålet, här är siffrorna.",
            "Man kan inte dividera med noll.",
            "Tyvärr är museet stängt på måndagar.",
        ],
    ),
    ("pl", &["Przepraszam za opóźnienie: oto liczby.", "Niestety muzeum jest zamknięte w poniedziałki."]),
    (
        "ru",
        &[
            "Извините за задержку, вот цифры: 12, 18.",
            "К сожалению, музей закрыт в понедельник.",
            "На ноль делить нельзя.",
        ],
    ),
    (
        "tr",
        &[
            "Gecikme için özür dilerim, sayılar şunlar: 12, 18.",
            "Sıfıra bölünemez.",
            "Maalesef tren iptal edildi.",
        ],
    ),
    ("ar", &["آسف على التأخير، الأرقام هي 12 و18.", "للأسف القطار ملغى اليوم.", "لا يمكن القسمة على صفر."]),
    ("hi", &["देरी के लिए क्षमा करें, संख्याएँ 12 और 18 हैं।", "शून्य से भाग नहीं दिया जा सकता।"]),
    ("vi", &["Xin lỗi vì trả lời muộn, các con số là 12 và 18.", "Rất tiếc, bảo tàng đóng cửa vào thứ Hai."]),
    (
        "ko",
        &[
            "늦어서 죄송합니다. 숫자는 12와 18입니다.",
            "0으로 나눌 수 없습니다.",
            "아쉽지만 박물관은 월요일에 쉽니다.",
            "이 함수는 None을 반환할 수 없습니다. 타입을 고치세요.",
        ],
    ),
    (
        "ja",
        &[
            "お待たせして申し訳ありません。数字は12と18です。",
            "残念ながら電車は運休です。次の便をご利用ください。",
            "この列には文字を入れることができません。",
        ],
    ),
    (
        "zh",
        &[
            "抱歉让你久等了，数字是12和18。",
            "很遗憾，博物馆周一闭馆。",
            "零不能作除数。",
            "他说：“我不能帮助你。”然后走了。",
        ],
    ),
];

fn quality(judge: &Judge, text: &str) -> (Quality, f32) {
    let request = ChatRequest::user("");
    let usage = Usage { completion: 20, ..Usage::default() };
    let answer = Answer { text: text.into(), finish_reason: FinishReason::Stop, usage, ..Answer::default() };
    let verdict = judge.judge(&Ask::of(&request), &answer, Arrival::Complete).verdict;
    (verdict.quality, verdict.score.unwrap_or(0.0))
}

#[test]
fn refusals_are_recognized_in_many_languages() {
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    let all = REFUSALS.iter().flat_map(|(language, texts)| texts.iter().map(move |text| (language, text)));
    let missed: Vec<_> = all.filter(|(_, text)| quality(&judge, text).0 != Quality::Refusal).collect();
    for (language, text) in &missed {
        println!("missed {language} {:.2} {text}", quality(&judge, text).1);
    }
    assert!(missed.is_empty(), "{} missed", missed.len());
}

#[test]
fn what_only_sounds_like_a_refusal_is_an_answer() {
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    for (language, texts) in ANSWERS {
        for text in *texts {
            let (quality, score) = quality(&judge, text);
            assert_eq!(quality, Quality::Ok, "{language} {score:.2} {text}");
        }
    }
}

#[test]
fn a_refusal_late_in_a_long_answer_is_recognized_and_a_polite_end_is_not() {
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    let story = "The storm rolled in over the harbour and Jonas tied the boat to the pier. ".repeat(40);
    let late = format!("{story}\n\nI'm sorry, but I can't continue with this story.");
    assert_eq!(quality(&judge, &late).0, Quality::Refusal);
    for end in [
        "Let me know if you need anything else!",
        "Unfortunately, he could not help her.",
        "\"I'm sorry, I can't help you,\" said Jonas.",
    ] {
        assert_eq!(
            quality(&judge, &format!("{story}{end}")).0,
            Quality::Degenerate,
            "the story itself is a circle"
        );
    }
    let varied: String = (0..60).fold(String::new(), |text, n| {
        text + &format!(
            "On day {n} the {} crew sailed {} miles and met {} gulls. ",
            ["red", "blue", "old"][n % 3],
            n * 7 % 53,
            n * n % 91
        )
    });
    for end in [
        "Let me know if you need anything else!",
        "Unfortunately, he could not help her.",
        "\"I'm sorry, I can't help you,\" said Jonas.",
    ] {
        assert_eq!(quality(&judge, &format!("{varied}{end}")).0, Quality::Ok, "{end}");
    }
}

#[test]
fn a_refusal_that_was_asked_for_is_an_answer() {
    let judge = Judge::new(JudgeOptions::default()).unwrap();
    for (prompt, text) in [
        (
            "Translate to English: Lo siento, pero no puedo ayudarte con eso.",
            "I'm sorry, but I can't help you with that.",
        ),
        ("Übersetze ins Deutsche: I cannot help with that.", "Ich kann dabei nicht helfen."),
        (
            "Write a short message that politely declines to help a colleague.",
            "Sorry, I can't help with this one this week.",
        ),
    ] {
        let request = ChatRequest::user(prompt);
        let answer = Answer { text: text.into(), finish_reason: FinishReason::Stop, ..Answer::default() };
        let verdict = judge.judge(&Ask::of(&request), &answer, Arrival::Complete).verdict;
        assert_eq!(
            (verdict.quality, verdict.rule.as_ref()),
            (Quality::Ok, "ok.possible_refusal"),
            "{prompt}"
        );
    }
}
