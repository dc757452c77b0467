//! Refusals that need nothing beside them, and changes of subject, in many languages. Data only.

use super::Sense::{Decline, Deflect};
use super::{Words, words};

pub(crate) static LIST: &[Words] = &[
    words(
        Decline,
        "en",
        "i must decline | i have to decline | i need to decline | i will decline | i'll decline | \
         i am declining | i'm declining | i'll have to decline | i respectfully decline | \
         i must respectfully decline | i must refuse | i have to refuse | i refuse this | \
         refuse this request | i decline | i politely decline | request denied | access denied | \
         i'm going to pass | i'll pass on | i'll have to pass | not going to do that | \
         not going to happen | won't be doing | no can do | against my programming | \
         against my guidelines | against my policies | against my ethical | against openai | \
         against anthropic | violates my | violate my | goes against my | go against my | \
         conflicts with my guidelines | violates our | violate our | violates the usage polic* | \
         violates openai* | against our usage polic* | violates the content polic* | \
         violates content polic* | against our content polic* | is against polic* | \
         cannot be processed | can't be processed | could not be processed due to | was flagged | \
         has been flagged | has been blocked | was blocked by | blocked by our | content filters | \
         not within my programming | outside my guidelines | i have to stop here | i must stop here | \
         i need to stop here | cannot in good conscience | can't in good conscience | \
         would not be legal | would not be appropriate | would be inappropriate | \
         wouldn't be appropriate | i'm not comfortable | i am not comfortable | \
         not something i'll be doing | i'm choosing not to | i am choosing not to | i do not condone | \
         i don't condone | and do not condone | i cannot condone | i can't condone | \"refusal\": true | \
         \"refusal\":true | i won't do | i won't help | i won't be able | i will not help | \
         i will not do | i will not be able | off the table for me | not something i can | \
         not something i'm able | not something i am able | not something i'll | not something i will | \
         isn't something i can | isn't something i'm | is not something i | absolutely will not | \
         will absolutely not | a very firm no | outside what i can help | not able to fulfill | \
         unable to comply | cannot comply | can't comply | this request is refused | \
         i'm programmed to avoid | i am programmed to avoid | refusing to answer | \
         refusing this request | must respectfully decline | must decline | have to turn this down | \
         turn down this request | programmed to avoid | absolutely cannot help | cannot support this | \
         beyond what i am allowed | beyond what i'm allowed | beyond what i can | \
         outside what i am allowed | outside what i'm allowed | outside what i can | \
         not allowed to discuss | goes beyond my",
    ),
    words(
        Deflect,
        "en",
        "let's talk about something else | let us talk about something else | \
         let's discuss something else | let's change the subject | change the topic | \
         talk about something else | i'd rather not | i would rather not | i prefer not to | \
         i'd prefer not to | i would prefer not to | ask me something else | a different topic | \
         move on to another topic | pick another topic | choose another topic | another topic | \
         let's move on | instead of focusing on | let's focus on | steer the conversation | \
         let's keep our conversation | let's keep this conversation | try a different question | \
         try asking something else",
    ),
    words(
        Decline,
        "de",
        "muss ich ablehnen | ich muss ablehnen | lehne ich ab | ich lehne | ich verweigere | \
         verweigere ich | anfrage abgelehnt | gegen meine richtlinien | verstößt gegen | \
         gegen meine regeln | gegen meine grundsätze | gegen unsere richtlinien | nicht mit meinen | \
         ich muss diese anfrage ablehnen | muss diese bitte ablehnen | das werde ich nicht | \
         das mache ich nicht | nicht bereit | ablehnen | widerspricht meinen | ich weigere mich | \
         meine programmierung | dazu sage ich nichts | nein, das | dabei helfe ich nicht | \
         keine auskunft | unterstütze ich dich nicht | unterstütze ich nicht | helfe ich nicht | \
         gebe ich nicht",
    ),
    words(
        Deflect,
        "de",
        "lass uns über etwas anderes | lassen sie uns über etwas anderes | lieber nicht | \
         wechseln wir das thema | anderes thema | einem anderen thema | das thema wechseln | \
         möchte ich mich nicht äußern | möchte ich nicht äußern | reden wir über etwas anderes | \
         sprechen wir über etwas anderes",
    ),
    words(
        Decline,
        "fr",
        "je dois décliner | je refuse | je dois refuser | je décline | contraire à mes | \
         à l'encontre de mes | contre mes principes | contre mes règles | enfreint mes | enfreint les | \
         viole mes | viole les règles | demande refusée | contraire à ma politique | \
         ne respecte pas mes | pas conforme à mes | va à l'encontre de | contrevient à | \
         me vois dans l'obligation de refuser | hors de question | pas quelque chose que je peux",
    ),
    words(
        Deflect,
        "fr",
        "parlons d'autre chose | changeons de sujet | je préfère ne pas | je préférerais ne pas | \
         un autre sujet | passons à autre chose | parlons plutôt",
    ),
    words(
        Decline,
        "es",
        "debo rechazar | tengo que rechazar | debo negarme | debo declinar | me niego | \
         en contra de mis | contra mis normas | contra mis principios | contra mis políticas | \
         viola mis | viola las | infringe mis | incumple mis | solicitud denegada | \
         solicitud rechazada | petición rechazada | no cumple con mis | va contra mis | infringe las | \
         contraviene | contrario a mis | debo abstenerme | contraria a mis",
    ),
    words(
        Deflect,
        "es",
        "hablemos de otra cosa | cambiemos de tema | prefiero no | preferiría no | otro tema | \
         pasemos a otro | hablemos mejor de",
    ),
    words(
        Decline,
        "pt",
        "devo recusar | tenho que recusar | tenho de recusar | preciso recusar | recuso-me | me recuso | \
         contra as minhas | contra minhas | viola as minhas | viola minhas | viola as diretrizes | \
         viola as políticas | pedido recusado | solicitação negada | solicitação recusada | \
         contra os meus princípios | vai contra | contraria as minhas | contraria minhas | \
         devo declinar | infringe as | viola as",
    ),
    words(
        Deflect,
        "pt",
        "vamos falar de outra coisa | vamos mudar de assunto | prefiro não | preferia não | \
         preferiria não | outro assunto | falemos de outra | mudemos de assunto | \
         vamos conversar sobre outra",
    ),
    words(
        Decline,
        "it",
        "devo rifiutare | devo declinare | mi rifiuto | contro le mie regole | contro le mie linee | \
         contrario alle mie | contraria alle mie | viola le mie | viola le linee | viola le norme | \
         viola le politiche | richiesta rifiutata | richiesta respinta | contro i miei principi | \
         va contro | sono costretto a rifiutare | contrario ai miei | contraria ai miei | \
         contrarie alle mie",
    ),
    words(
        Deflect,
        "it",
        "parliamo d'altro | parliamo di altro | cambiamo argomento | preferisco non | preferirei non | \
         un altro argomento | passiamo ad altro",
    ),
    words(
        Decline,
        "nl",
        "moet ik weigeren | ik moet weigeren | ik weiger | in strijd met mijn | tegen mijn richtlijnen | \
         druist in tegen | gaat in tegen | verzoek geweigerd | ik moet dit verzoek afwijzen | afwijzen | \
         tegen mijn regels | schendt mijn | ik sla dit verzoek af | tegen mijn beleid | moet ik afslaan",
    ),
    words(
        Deflect,
        "nl",
        "laten we het over iets anders | liever niet | een ander onderwerp | laten we van onderwerp | \
         praten over iets anders",
    ),
    words(
        Decline,
        "sv",
        "jag måste avböja | jag måste neka | måste jag avböja | jag vägrar | mot mina riktlinjer | \
         strider mot | bryter mot | mot mina regler | begäran nekad | avböjer | måste tacka nej",
    ),
    words(
        Deflect,
        "sv",
        "låt oss prata om något annat | helst inte | byta ämne | byter ämne | något annat ämne",
    ),
    words(Decline, "da", "jeg må afvise | imod mine retningslinjer | strider mod"),
    words(
        Decline,
        "pl",
        "muszę odmówić | odmawiam | jestem zmuszon* | narusza moje | niezgodne z moimi | \
         sprzeczne z moimi | wbrew moim | narusza zasady | prośba odrzucona | niezgodna z moimi | \
         narusza wytyczne | sprzeczna z moimi",
    ),
    words(
        Deflect,
        "pl",
        "porozmawiajmy o czymś innym | zmieńmy temat | wolę nie | wolałbym nie | wolałabym nie | \
         inny temat",
    ),
    words(
        Decline,
        "cs",
        "musím odmítnout | odmítám | v rozporu s mými | porušuje | proti mým | žádost zamítnuta | \
         je v rozporu s",
    ),
    words(
        Deflect,
        "cs",
        "pojďme mluvit o něčem jiném | změňme téma | raději ne | radši ne | jiné téma | raději nebudu",
    ),
    words(
        Decline,
        "ru",
        "вынужден отказать* | вынуждена отказать* | должен отказать* | должна отказать* | \
         я отказываюсь | отказываюсь | противоречит моим | нарушает мои | против моих правил | \
         нарушает правила | запрос отклонен | запрос отклонён | против моих принципов | \
         не соответствует моим | приходится отказать* | вынужден отклонить | противоречит политике | \
         нарушает политику | придется отказать* | придётся отказать*",
    ),
    words(
        Deflect,
        "ru",
        "давайте сменим тему | сменим тему | поговорим о чем-нибудь другом | поговорим о другом | \
         предпочитаю не | предпочел бы не | другую тему | давай сменим тему | \
         поговорим о чём-нибудь другом | лучше не буду",
    ),
    words(
        Decline,
        "uk",
        "змушений відмов* | змушена відмов* | мушу відмов* | відмовляюся | суперечить моїм | \
         порушує мої | проти моїх | порушує правила | запит відхилено",
    ),
    words(Deflect, "uk", "змінимо тему | поговоримо про щось інше | волію не | іншу тему | краще не буду"),
    words(
        Decline,
        "tr",
        "reddediyorum | reddetmek zorunda* | reddetmem gerek* | kurallarıma aykırı | ilkelerime aykırı | \
         politikalarıma aykırı | yönergelerime aykırı | talebiniz reddedildi | ihlal ediyor | \
         aykırıdır | geri çevirmek zorunda* | programlamama aykırı | isteğiniz reddedildi | \
         kurallara aykırı",
    ),
    words(
        Deflect,
        "tr",
        "başka bir konu konuşalım | konuyu değiştirelim | başka bir şeyden bahsedelim | tercih etmem | \
         tercih ederim | başka bir şey konuşalım | başka bir konudan",
    ),
    words(
        Decline,
        "ar",
        "يجب أن أرفض | أرفض | علي أن أرفض | مضطر للرفض | يخالف سياس* | ينتهك | يتعارض مع | \
         مخالف لسياس* | تم رفض الطلب | ضد سياس* | مخالف للإرشادات | يخالف | أعتذر عن عدم | \
         مضطر إلى الرفض | لا بد أن أرفض",
    ),
    words(
        Deflect,
        "ar",
        "لنتحدث عن شيء آخر | دعنا نغير الموضوع | أفضل عدم | أفضل ألا | موضوع آخر | لنغير الموضوع | \
         فلنتحدث عن",
    ),
    words(
        Decline,
        "he",
        "אני מסרב | אני מסרבת | נאלץ לסרב | חייב לסרב | מנוגד למדיניות | בניגוד לכללים | מפר את | \
         מנוגד ל | הבקשה נדחתה",
    ),
    words(Deflect, "he", "בוא נדבר על משהו אחר | מעדיף שלא | מעדיפה שלא | נחליף נושא | נושא אחר"),
    words(
        Decline,
        "hi",
        "मना करना पड़ | इनकार | इंकार | अस्वीकार | नीतियों के खिलाफ | नीतियों के विरुद्ध | \
         दिशानिर्देशों के खिलाफ | दिशानिर्देशों के विरुद्ध | नियमों के खिलाफ | नियमों के विरुद्ध | \
         उल्लंघन",
    ),
    words(Deflect, "hi", "किसी और विषय पर | विषय बदल | कुछ और बात करते | नहीं करना चाहूँगा | नहीं करना चाहूंगा"),
    words(
        Decline,
        "vi",
        "tôi phải từ chối | tôi xin từ chối | từ chối | vi phạm chính sách | vi phạm quy định | \
         trái với nguyên tắc | trái với chính sách | vi phạm nguyên tắc | đi ngược lại | \
         trái với quy định | vi phạm các",
    ),
    words(
        Deflect,
        "vi",
        "hãy nói về chủ đề khác | chuyển sang chủ đề | không muốn bàn | chủ đề khác | đổi chủ đề",
    ),
    words(
        Decline,
        "id",
        "saya harus menolak | saya menolak | melanggar kebijakan | melanggar pedoman | \
         bertentangan dengan | permintaan ditolak | melanggar aturan | terpaksa menolak",
    ),
    words(
        Deflect,
        "id",
        "mari kita bicarakan hal lain | ganti topik | lebih baik tidak | topik lain | memilih untuk tidak",
    ),
    words(Decline, "th", "ขอปฏิเสธ | ปฏิเสธ | ขัดต่อนโยบาย | ขัดกับนโยบาย | ละเมิดนโยบาย | ผิดนโยบาย | ขัดต่อ"),
    words(Deflect, "th", "คุยเรื่องอื่น | เปลี่ยนเรื่อง | เรื่องอื่นกัน"),
    words(
        Decline,
        "ko",
        "거절하겠습니다 | 거절할 수밖에 | 거절합니다 | 거부합니다 | 거절해야 | 정책에 위배 | 정책에 어긋 | 지침에 어긋 | 지침에 위배 | 가이드라인에 어긋 | \
         가이드라인에 위배 | 규정에 어긋 | 규정에 위배 | 원칙에 어긋 | 원칙에 위배 | 위반됩니다 | 정중히 거절 | 정책을 위반 | 응하지 않 | 사양하겠습니다 | \
         요청이 거부 | 지침에 어긋나 | 도움을 드리지 않",
    ),
    words(
        Deflect,
        "ko",
        "다른 이야기를 | 다른 주제 | 주제를 바꾸 | 화제를 바꾸 | 다른 질문을 해 | 다른 질문이 있으 | 다른 이야기 해 | 다른 얘기 | 답하고 싶지 않 | \
         이야기하고 싶지 않",
    ),
    words(
        Decline,
        "ja",
        "お断りします | お断りいたします | お断りさせて | お断りしなければ | お断りせざる | 拒否します | ポリシーに違反 | ポリシーに反 | ガイドラインに違反 | \
         ガイドラインに反 | 規約に違反 | 規約に反 | 方針に反 | 方針に違反 | 規定に反 | 利用規約に | 違反するため | 違反しています | 倫理に反 | 倫理的に問題 | \
         辞退いたします | ご遠慮ください | 不適切なため | 反するため | できないことになって | 禁止されて",
    ),
    words(
        Deflect,
        "ja",
        "別の話題 | 話題を変え | 他の話題 | 別のことについて | ほかの話題 | 別の話をしましょう | 他の話をしましょう | 話を変えましょう | 触れないでおき",
    ),
    words(
        Decline,
        "zh",
        "必须拒绝 | 只能拒绝 | 我拒绝 | 予以拒绝 | 违反了相关政策 | 违反相关 | 违反了我的 | 违反我的 | 违背我的 | 违背了我的 | 违反政策 | 违反规定 | 违反了使用 | \
         违反使用 | 不符合相关 | 不符合我的 | 请求被拒绝 | 超出了我的 | 超出我的 | 违反了 | 不在我的能力 | 不在我的服务 | 婉拒您的 | 必須拒絕 | 我拒絕 | 違反了 | \
         違反相關 | 違反我的 | 超出我的能力 | 违背了 | 与我的准则 | 与我的原则 | 违规",
    ),
    words(
        Deflect,
        "zh",
        "换个话题 | 換個話題 | 聊点别的 | 聊些别的 | 聊聊别的 | 其他话题 | 其他話題 | 谈点别的 | 说点别的 | 聊點別的 | 别的话题 | 不想讨论 | 不愿讨论 | \
         不愿评论 | 换一个话题 | 聊聊其他 | 转移话题",
    ),
];
