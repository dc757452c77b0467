//! What keeps a refusal company or takes its place: letters, stories, politeness, turns, offers. Data only.

use super::Sense::{Asks, Explains, Giving, Letter, Narration, Offer, Preface, Turn};
use super::{Words, words};

pub(crate) static LIST: &[Words] = &[
    words(
        Explains,
        "en",
        "fictional | does not exist | do not exist | doesn't exist | not a real | nonsensical | \
         false assumption | does not make sense | doesn't make sense | not publicly available | \
         there is no such | there are no known | mythical | not possible | impossible | not capable of | \
         inanimate | misunderstanding | not sentient | are not subject to | absurd | false premise | \
         hypothetical | imaginary | do not have the power | do not possess | does not have a real | \
         faulty premise | factual coherence | factually coherent",
    ),
    words(
        Explains,
        "ko",
        "가상의 | 존재하지 않 | 허구 | 공개된 바 | 밝혀진 바 | 알려져 있지 않 | 알려지지 않",
    ),
    words(Explains, "ja", "架空の | 存在しません | 実在しません"),
    words(Explains, "zh", "虚构 | 不存在 | 虛構"),
    words(Explains, "de", "fiktiv* | existiert nicht | gibt es nicht"),
    words(Explains, "fr", "fictif | fictive | n'existe pas | imaginaire"),
    words(Explains, "es", "ficticio | ficticia | no existe"),
    words(Explains, "ru", "вымышлен* | не существует"),
    words(
        Asks,
        "en",
        "could you please | can you please | could you clarify | please clarify | please provide | \
         more context | could you provide | can you provide | unclear what | more information about | \
         provide me with the | copy and paste | let me know what | please share | please specify | \
         could you tell me | what would you like | paste",
    ),
    words(
        Asks,
        "ko",
        "구체적으로 말씀 | 구체적인 질문 | 말씀해 주시면 | 알려주시면 | 알려 주시면 | 명확하지 않 | 불완전 | 모호",
    ),
    words(Asks, "ja", "教えていただけ | お知らせください | 詳しく教えて"),
    words(Asks, "zh", "请提供 | 请告诉我 | 請提供 | 能否提供"),
    words(Asks, "de", "könnten sie | kannst du mir | bitte gib | bitte geben sie"),
    words(
        Letter,
        "en",
        "^dear_ | ^subject: | ^re: | kind regards | best regards | sincerely, | ^hi [ | ^title: | \
         ^to whom",
    ),
    words(
        Letter,
        "de",
        "^betreff: | ^sehr geehrte* | mit freundlichen grüßen | ^liebe_ | ^lieber_ | viele grüße",
    ),
    words(Letter, "fr", "^objet : | ^objet: | ^madame | ^monsieur | cordialement | ^chère_ | ^cher_"),
    words(Letter, "es", "^asunto: | ^estimad* | ^querid* | atentamente | un saludo,"),
    words(Letter, "pt", "^assunto: | ^prezad* | ^caro_ | ^cara_ | atenciosamente | ^estimad*"),
    words(
        Letter,
        "it",
        "^oggetto: | ^gentile_ | ^egregi* | ^cara_ | ^caro_ | cordiali saluti | distinti saluti",
    ),
    words(Letter, "nl", "^onderwerp: | ^geachte_ | ^beste_ | met vriendelijke groet"),
    words(Letter, "sv", "^ämne: | ^kära_ | med vänliga hälsningar | vänliga hälsningar"),
    words(Letter, "pl", "^temat: | ^szanown* | ^drogi_ | ^droga_ | z poważaniem | pozdrawiam"),
    words(Letter, "cs", "^předmět: | ^vážen* | s pozdravem"),
    words(Letter, "ru", "^тема: | ^уважаем* | с уважением | ^дорогой_ | ^дорогая_ | ^здравствуйте,_"),
    words(Letter, "uk", "^тема: | ^шановн* | з повагою"),
    words(Letter, "tr", "^konu: | ^sayın_ | saygılarımla | ^sevgili_"),
    words(Letter, "ar", "^الموضوع: | ^عزيز* | ^السيد | مع خالص التحية | تحياتي"),
    words(Letter, "he", "^נושא: | ^לכבוד | בברכה"),
    words(Letter, "hi", "^विषय: | ^प्रिय | ^आदरणीय | सादर"),
    words(Letter, "vi", "^chủ đề: | ^tiêu đề: | ^kính gửi | trân trọng"),
    words(Letter, "id", "^perihal: | ^subjek: | ^yth | hormat saya | salam hangat"),
    words(Letter, "th", "^เรื่อง: | ^เรียน | ขอแสดงความนับถือ"),
    words(Letter, "ko", "^제목: | ^친애하는 | ^제목 : | ^[제목"),
    words(Letter, "ja", "^件名: | 拝啓 | 敬具 | ^件名 | 様"),
    words(Letter, "zh", "^主题: | ^主题 | ^尊敬的 | ^亲爱的 | 此致 | 敬礼 | ^主題 | ^親愛的"),
    words(
        Narration,
        "en",
        "said the | said, | said. | he said | she said | he whispered | she whispered | they said | \
         replied the | he replied | she replied | the robot | the old man | the guard | the children | \
         laughed | he sighed | she sighed | cried the | shouted | once upon a time | means that the | \
         usually means | translation: | paraphrase",
    ),
    words(
        Narration,
        "de",
        "sagte er | sagte sie | sagte der | sagte die | flüsterte | antwortete er | antwortete sie | rief",
    ),
    words(Narration, "fr", "dit-il | dit-elle | répondit | murmura | dit le | dit la | s'écria"),
    words(
        Narration,
        "es",
        "dijo el | dijo la | dijo ella | dijo él | respondió el | respondió la | susurró | exclamó",
    ),
    words(
        Narration,
        "pt",
        "disse o | disse a | disse ele | disse ela | respondeu o | respondeu a | sussurrou",
    ),
    words(
        Narration,
        "it",
        "disse il | disse la | disse lui | disse lei | rispose il | rispose la | sussurrò",
    ),
    words(Narration, "nl", "zei hij | zei ze | zei de | fluisterde | antwoordde"),
    words(Narration, "sv", "sa han | sa hon | sade | viskade | svarade han | svarade hon"),
    words(Narration, "pl", "powiedział | powiedziała | odparł | odparła | szepnął | szepnęła"),
    words(Narration, "cs", "řekl | řekla | odpověděl | odpověděla | zašeptal*"),
    words(Narration, "ru", "сказал | сказала | ответил | ответила | прошептал* | воскликнул*"),
    words(Narration, "uk", "сказав | сказала | відповів | відповіла | прошепот*"),
    words(Narration, "tr", "dedi | diye fısıldadı | diye bağırdı | diye yanıtladı"),
    words(Narration, "ar", "قال ال | قالت | قال الرجل | همس | أجاب ال"),
    words(Narration, "hi", "ने कहा | बोला | बोली | फुसफुसा*"),
    words(Narration, "vi", "anh ấy nói | cô ấy nói | ông lão nói | thì thầm | nói rồi"),
    words(Narration, "id", "kata dia | katanya | kata sang | bisik | jawab dia"),
    words(Narration, "ko", "라고 말했 | 라고 했 | 그가 말했 | 그녀가 말했 | 속삭였 | 라고 대답"),
    words(Narration, "ja", "と言った | と言い | とつぶやい | と答えた | と彼は | と彼女は"),
    words(Narration, "zh", "他说 | 她说 | 说道 | 老人说 | 低声说 | 回答道 | 他說 | 她說"),
    words(
        Preface,
        "en",
        "thank you for | thanks for | great question | good question | that's a good | that's a great | \
         i understand | i appreciate | i see that | hello | hi! | hi there | i hear you | \
         interesting question | i get that | i want to be direct | to be direct | i want to be | okay, | \
         ok, | let's address | let's be | well, | hmm | great, | no, | no. | that is a good | \
         that is a great | it sounds like | i can see | i know that",
    ),
    words(
        Preface,
        "de",
        "danke für | vielen dank | gute frage | ich verstehe | hallo | das ist eine gute | \
         ich kann verstehen",
    ),
    words(
        Preface,
        "fr",
        "merci pour | merci de | bonne question | je comprends | bonjour | c'est une bonne | \
         c'est une question",
    ),
    words(
        Preface,
        "es",
        "gracias por | buena pregunta | entiendo | comprendo | hola | es una buena | es una pregunta",
    ),
    words(
        Preface,
        "pt",
        "obrigado por | obrigada por | obrigado pel* | obrigada pel* | boa pergunta | entendo | \
         compreendo | olá | é uma boa",
    ),
    words(
        Preface,
        "it",
        "grazie per | bella domanda | buona domanda | capisco | comprendo | ciao | è una bella | \
         è una buona",
    ),
    words(
        Preface,
        "nl",
        "bedankt voor | dank je | dank u | goede vraag | ik begrijp | hallo | dat is een goede",
    ),
    words(Preface, "sv", "tack för | bra fråga | jag förstår | hej! | det är en bra"),
    words(Preface, "pl", "dziękuję za | dzięki za | dobre pytanie | rozumiem | cześć | to dobre pytanie"),
    words(Preface, "cs", "děkuji za | dobrá otázka | rozumím | chápu | to je dobrá"),
    words(
        Preface,
        "ru",
        "спасибо за | хороший вопрос | понимаю | я понимаю | здравствуйте | благодарю за | привет",
    ),
    words(Preface, "uk", "дякую за | гарне питання | розумію | я розумію | хороше питання | вітаю"),
    words(
        Preface,
        "tr",
        "mesajınız için | teşekkür* | güzel soru | iyi bir soru | anlıyorum | merhaba | neden sorduğunuzu",
    ),
    words(Preface, "ar", "شكرا ل | شكرا على | سؤال جيد | أفهم | أتفهم | مرحبا | سؤال رائع"),
    words(Preface, "he", "תודה על | שאלה טובה | אני מבין | אני מבינה | שלום"),
    words(Preface, "hi", "धन्यवाद | अच्छा सवाल | अच्छा प्रश्न | मैं समझ | नमस्ते | समझता हूँ"),
    words(Preface, "vi", "cảm ơn | câu hỏi hay | tôi hiểu | xin chào | chào bạn"),
    words(
        Preface,
        "id",
        "terima kasih | pertanyaan bagus | pertanyaan yang bagus | saya mengerti | saya memahami | halo",
    ),
    words(Preface, "th", "ขอบคุณ | คำถามที่ดี | เข้าใจ | สวัสดี"),
    words(Preface, "ko", "감사합니다 | 좋은 질문 | 이해합니다 | 안녕하세요 | 고마워 | 이해해요"),
    words(
        Preface,
        "ja",
        "ありがとうございます | 良い質問 | いい質問 | ご質問の背景 | 理解しています | こんにちは | お気持ちはわかり | お問い合わせ",
    ),
    words(
        Preface,
        "zh",
        "感谢 | 谢谢 | 好问题 | 我理解 | 我明白 | 你好 | 您好 | 这是个好 | 這是個好 | 感謝 | 謝謝 | 我了解",
    ),
    words(
        Giving,
        "en",
        "here is | here are | here's | below is | below are | sure | certainly | of course | \
         absolutely | the answer is | let's start | the following | as follows | step 1 | for example | \
         the correct answer | let's begin | great!",
    ),
    words(
        Giving,
        "de",
        "hier ist | hier sind | natürlich | klar, | gerne, | anbei | folgende | zum beispiel",
    ),
    words(Giving, "fr", "voici | bien sûr | certainement | ci-dessous | par exemple"),
    words(Giving, "es", "aquí tienes | aquí está | claro | por supuesto | a continuación | por ejemplo"),
    words(Giving, "pt", "aqui está | aqui estão | claro | a seguir | com certeza | por exemplo"),
    words(Giving, "it", "ecco | certo | certamente | di seguito | ad esempio"),
    words(Giving, "nl", "hier is | hier zijn | natuurlijk | zeker | hieronder | bijvoorbeeld"),
    words(Giving, "ru", "вот_ | конечно | ниже | например | правильный ответ"),
    words(
        Giving,
        "ko",
        "물론 | 다음과 같 | 다음은 | 아래는 | 소개합니다 | 예를 들어 | 정답은 | 방법입니다 | 알려 드릴게요 | 알려드릴게요 | 알려드리겠습니다",
    ),
    words(Giving, "ja", "以下 | 次のとおり | 次の通り | もちろん | はい、 | 例えば | 正解は | 代わりに"),
    words(Giving, "zh", "以下是 | 当然 | 如下 | 下面是 | 例如 | 答案是 | 當然 | 正确答案"),
    words(
        Turn,
        "en",
        "however, i can | but i can | however, i'd be happy | however, here | but here | \
         i can tell you | i can provide | i can offer | i can describe | i can give | i can certainly | \
         i can still | in general | generally | however, if | however, based on | \
         however, in the context | but in general | however, it | i can explain | however, | but if | \
         that said | with that said | having said that | i can help | i can share | i can suggest | \
         nevertheless | but here it is",
    ),
    words(
        Turn,
        "de",
        "aber ich kann | ich kann aber | allgemein | stattdessen | jedoch kann ich | im allgemeinen | \
         trotzdem",
    ),
    words(Turn, "fr", "mais je peux | cependant | en général | je peux toutefois | toutefois"),
    words(Turn, "es", "pero puedo | sin embargo, puedo | en general | no obstante"),
    words(Turn, "pt", "mas posso | no entanto, posso | em geral | entretanto, posso | porém"),
    words(Turn, "it", "ma posso | tuttavia | in generale | posso però"),
    words(Turn, "nl", "maar ik kan | wel kan ik | over het algemeen | in het algemeen"),
    words(Turn, "ru", "но я могу | однако я могу | но могу | в целом | в общем"),
    words(Turn, "ko", "하지만 일반적으로 | 다만 | 대신 | 그러나 | 하지만_ | 일반적으로"),
    words(Turn, "ja", "ただし | しかし | 代わりに | 一般的に | ですが、"),
    words(Turn, "zh", "但我可以 | 但是我可以 | 不过我可以 | 不过， | 一般来说 | 但是，"),
    words(
        Offer,
        "en",
        "anything else | something else | other questions | other question | feel free to | \
         let me know if | how else can i | i'm here to help | i'd be happy to | i would be happy to | \
         i'm happy to help | another topic | if you have any other | is there another | instead, i | \
         is there any other | i encourage you | please reach out | i recommend | please consider | \
         i would encourage | i would suggest | a different topic | other topic",
    ),
    words(
        Offer,
        "de",
        "etwas anderem | sonst noch | anderen thema | andere fragen | gern helfe ich | gerne helfe ich",
    ),
    words(Offer, "fr", "autre chose | autre question | d'autres questions | n'hésitez pas"),
    words(Offer, "es", "otra cosa | algo más | otra pregunta | en qué más | otra consulta"),
    words(Offer, "pt", "outra coisa | mais alguma coisa | outra pergunta | algo mais"),
    words(Offer, "it", "qualcos'altro | altro per te | altre domande | altra domanda | serve altro"),
    words(Offer, "nl", "iets anders | andere vragen | nog iets"),
    words(Offer, "ru", "чем-то еще | чем-то другим | другие вопросы | еще чем-то | другой вопрос"),
    words(
        Offer,
        "ko",
        "다른 질문 | 다른 도움 | 더 도와 | 언제든지 말씀 | 언제든 말씀 | 도움이 필요하시 | 궁금한 점이 있 | 다른 주제",
    ),
    words(Offer, "ja", "他に | ほかに | 別の質問 | 他のご質問 | 他の質問"),
    words(
        Offer,
        "zh",
        "其他问题 | 其他帮助 | 别的问题 | 还有什么可以 | 其他方面 | 其他問題 | 如果您有其他 | 如果你有其他",
    ),
];
