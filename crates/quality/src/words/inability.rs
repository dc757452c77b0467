//! How a speaker says that it cannot or will not, in many languages. Data only.
//!
//! Three shapes: subject and refusal apart ("I … cannot", "kann ich … nicht"), in one ("no puedo"), or
//! joined with the deed, as languages do that put the verb last ("제공할 수 없").

use super::Sense::{Cannot, CannotAct, ICan, Not, Other, Self_};
use super::{Words, words};

pub(crate) static LIST: &[Words] = &[
    words(Self_, "en", "i | we | i'm | i'd | i'll"),
    words(Other, "en", "you | they | he | she | it | who | users | which | people | your"),
    words(
        Not,
        "en",
        "cannot | can't | cant | can not | won't | wont | will not | unable to | not able to | \
         not going to | not comfortable | not willing | not allowed to | not permitted to | \
         not authorized to | don't feel comfortable | do not feel comfortable | not in a position to | \
         not capable of | don't have the ability to | do not have the ability to | refuse to | \
         will never | will absolutely not | absolutely cannot | absolutely will not | absolutely can't | \
         am not authorised to | not authorised to | prefer not to | rather not | ain't | not gonna | \
         not programmed to | not designed to | cannot and will not | not equipped to | \
         do not have the capability to | incapable of | don't have the capability to | \
         have to refrain from | must refrain from | no longer able to | avoid providing | decline to | \
         not prepared to",
    ),
    words(
        Cannot,
        "en",
        "nothing i can | no way i can | neither can i | for not being able to | for being unable to | \
         impossible for me to | not possible for me to | beyond my ability to | beyond my capabilities | \
         outside my capabilities | outside of my capabilities | the assistant cannot | \
         this model cannot | the model cannot | don't think i can | do not think i can | \
         don't believe i can | do not believe i can | under no circumstances can i | \
         under no circumstances will i | neither will i | cannot and will not",
    ),
    words(
        ICan,
        "de",
        "ich kann | kann ich | ich darf | darf ich | ich werde | werde ich | ich möchte | möchte ich | \
         ich will | will ich | ich bin | bin ich | ich habe | habe ich | gebe ich | ich gebe | \
         unterstütze ich | ich unterstütze | helfe ich | ich helfe | schreibe ich | ich schreibe | \
         mache ich | ich mache | beantworte ich | ich beantworte | erstelle ich | ich erstelle | \
         ich könnte | könnte ich | wir können | können wir | ist mir | es mir | mir ist | ich stelle | \
         stelle ich | ich liefere | ich teile | teile ich | äußere ich | ich äußere | ich spreche | \
         spreche ich | ich beteilige | beteilige ich | verfüge ich | ich verfüge | ich würde | würde ich",
    ),
    words(
        Not,
        "de",
        "nicht | kein | keine | keinen | keinerlei | keiner | niemals | außerstande | unmöglich | \
         nichts | verweigern | untersagt | verboten",
    ),
    words(
        ICan,
        "nl",
        "ik kan | kan ik | ik mag | mag ik | ik ga | ga ik | ik wil | wil ik | ik ben | ben ik | \
         ik heb | heb ik | ik zal | zal ik | ik geef | geef ik | ik help | help ik | ik beantwoord | \
         ik schrijf | schrijf ik | wij kunnen | we kunnen | kunnen we | werk ik | ik werk",
    ),
    words(Not, "nl", "niet | geen | nooit | niets | liever niet"),
    words(
        ICan,
        "sv",
        "jag kan | kan jag | jag får | får jag | jag kommer | kommer jag | jag vill | vill jag | \
         jag tänker | jag har | har jag | det kan | vi kan",
    ),
    words(Not, "sv", "inte | ej | inga | ingen | aldrig | inget"),
    words(ICan, "da", "jeg kan | kan jeg | jeg må | jeg vil | vil jeg | jeg har"),
    words(Not, "da", "ikke | ingen"),
    words(Cannot, "fi", "en voi | en pysty | en saa | en aio | en valitettavasti"),
    words(
        Cannot,
        "fr",
        "je ne peux pas | je ne peux | je ne suis pas en mesure | je ne suis pas autorisé | \
         je ne suis pas autorisée | je ne suis pas capable | je ne pourrai pas | je ne saurais | \
         je ne vais pas | je ne veux pas | il m'est impossible | je suis dans l'impossibilité | \
         je ne souhaite pas | je ne dispose pas | je ne suis pas à l'aise | je suis incapable | \
         nous ne pouvons pas | je n'ai pas le droit | je refuse de | ne peux pas | je ne puis | \
         je préfère ne pas | je ne suis pas habilité | m'est pas possible | ne suis pas programmé",
    ),
    words(
        CannotAct,
        "fr",
        "je ne fournirai | je ne donnerai | je ne répondrai | je n'écrirai | je n'aiderai | \
         je ne partagerai | je ne t'aiderai | je ne vous aiderai | je ne rédigerai | \
         je ne participerai | je ne ferai pas | je ne discuterai | je n'expliquerai | \
         je ne commenterai | je ne révélerai | je ne produirai | je ne créerai | je ne donne pas | \
         je ne fournis pas",
    ),
    words(
        Cannot,
        "es",
        "no puedo | no podemos | no podré | no voy a | no estoy en condiciones | no me es posible | \
         no estoy autorizad* | no soy capaz | no tengo permitido | no me está permitido | no quiero | \
         no debo | no me siento cómod* | no estoy programad* | no poder | no podría | me niego a | \
         me es imposible | soy incapaz de | no pienso | no es posible para mí | no se me permite | \
         no tengo la capacidad | no estoy dispuest* | rechazo",
    ),
    words(
        CannotAct,
        "es",
        "no daré | no proporcionaré | no escribiré | no ayudaré | no responderé | no te ayudaré | \
         no doy | no compartiré | no participaré | no generaré | no facilitaré | no ofrezco | \
         no proporciono | no hablaré | no redactaré | no crearé | no explicaré | no contestaré",
    ),
    words(
        Cannot,
        "pt",
        "não posso | não podemos | não consigo | não vou | não poderei | não sou capaz | \
         não estou autorizad* | não me é possível | não tenho permissão | não devo | recuso-me a | \
         me recuso a | não irei | não me sinto confortável | não estou em condições | não poder | \
         é-me impossível | não fui programad* | não quero | não pretendo | sou incapaz de",
    ),
    words(
        CannotAct,
        "pt",
        "não fornecerei | não darei | não ajudarei | não responderei | não escreverei | \
         não participarei | não compartilharei | não dou | não forneço | não partilharei | não criarei | \
         não falarei",
    ),
    words(
        Cannot,
        "it",
        "non posso | non possiamo | non sono in grado | non sono autorizzat* | non mi è possibile | \
         non potrò | non riesco a | non ho intenzione | non voglio | non mi sento | mi rifiuto di | \
         non sono programmat* | non poter | non mi è consentito | non mi è permesso | non sono capace | \
         non intendo | sono impossibilitat* | mi è impossibile | non desidero",
    ),
    words(
        CannotAct,
        "it",
        "non fornirò | non darò | non ti aiuterò | non aiuterò | non risponderò | non scriverò | \
         non parteciperò | non condividerò | non fornisco | non do | non parlerò | non creerò | \
         non spiegherò",
    ),
    words(
        Cannot,
        "pl",
        "nie mogę | nie możemy | nie jestem w stanie | nie potrafię | nie wolno mi | nie będę | \
         nie zamierzam | nie mam możliwości | nie mam prawa | nie jestem upoważnion* | nie chcę | \
         nie umiem | nie czuję się | nie mogłabym | nie mógłbym",
    ),
    words(
        CannotAct,
        "pl",
        "nie odpowiem | nie pomogę | nie udzielę | nie podam | nie napiszę | nie otworzę | \
         nie udostępnię | nie wygeneruję | nie stworzę | nie udzielam | nie pomagam | \
         nie wezmę udziału | nie przygotuję | nie dostarczę | nie wykonam | nie spełnię | nie zrobię | \
         nie wyjaśnię | nie będę w stanie pomóc",
    ),
    words(
        Cannot,
        "cs",
        "nemohu | nemůžu | nemůžeme | nejsem schopen | nejsem schopna | nesmím | nebudu | nedokážu | \
         nechci | nejsem oprávněn* | není mi dovoleno | nemám možnost | neumím",
    ),
    words(
        CannotAct,
        "cs",
        "nepomohu | nepomůžu | neposkytnu | neodpovím | nenapíšu | nedám | neposkytuji | nevytvořím | \
         nebudu odpovídat",
    ),
    words(
        Cannot,
        "ru",
        "не могу | не можем | не смогу | не буду | не имею права | не в состоянии | не вправе | \
         не стану | не имею возможности | не хочу | не способен | не способна | не уполномочен* | \
         мне нельзя | не собираюсь | не готов | не готова | мне запрещено | не должен | не должна | \
         не намерен* | невозможно для меня | не получится",
    ),
    words(
        CannotAct,
        "ru",
        "не дам | не помогу | не отвечу | не напишу | не предоставлю | не предоставляю | не расскажу | \
         не скажу | не сделаю | не поделюсь | не обсуждаю | не даю | не участвую | не создаю | \
         не помогаю | не раскрою | не объясню",
    ),
    words(
        Cannot,
        "uk",
        "не можу | не можемо | не зможу | не буду | не маю права | не маю змоги | не в змозі | \
         не здатний | не маю можливості | не хочу | не стану | мені заборонено | не збираюся",
    ),
    words(
        CannotAct,
        "uk",
        "не допоможу | не надам | не відповім | не напишу | не дам | не розповім | не надаю | не скажу",
    ),
    words(
        CannotAct,
        "tr",
        "yardımcı olamam | yardımcı olamıyorum | yardımcı olamayacağım | yardım edemem | \
         yardım edemiyorum | veremem | veremiyorum | veremeyeceğim | yanıtlayamam | yanıtlayamıyorum | \
         cevaplayamam | sağlayamam | sağlayamıyorum | yapamam | yapamıyorum | yazamam | yazamıyorum | \
         paylaşamam | oluşturamam | gerçekleştiremem | karşılayamam | konuşamam | tartışamam | sunamam | \
         anlatamam | açamam | erişemem | erişemiyorum | yerine getiremem | yardımcı olmayacağım | \
         vermeyeceğim | yazmayacağım | yapmayacağım | paylaşmayacağım | üretemem | desteklemiyorum | \
         destekleyemem | cevaplayamıyorum | yorum yapamam | katılamam | söyleyemem | açıklayamam | \
         görüntüleyemem | bilemem",
    ),
    words(
        Cannot,
        "tr",
        "mümkün değil | iznim yok | yetkim yok | izin verilmiyor | uygun değil | istemiyorum",
    ),
    words(
        Cannot,
        "ar",
        "لا أستطيع | لا يمكنني | لا يمكننا | لن أتمكن | لست قادرا | لا أقدر | غير قادر | لن أستطيع | \
         لا نستطيع | ليس بإمكاني | لا يسمح لي | غير مسموح لي | ليس لدي القدرة | ليس بوسعي | لا أرغب | \
         أرفض أن | لا يسعني | يتعذر علي | لست مخولا | لا أملك القدرة | من غير الممكن",
    ),
    words(
        CannotAct,
        "ar",
        "لن أقدم | لن أساعد | لن أكتب | لن أجيب | لا أقدم | لن أشارك | لن أشرح | لن أعطي | لن أقوم | \
         لن أناقش",
    ),
    words(
        Cannot,
        "he",
        "לא יכול | לא יכולה | אין באפשרותי | איני יכול | אינני יכול | לא אוכל | לא ניתן לי | אסור לי | \
         לא מוכן | אין ביכולתי | לא מסוגל | לא רוצה",
    ),
    words(CannotAct, "he", "לא אעזור | לא אספק | לא אכתוב | לא אענה | לא אתן | לא אשתף"),
    words(
        CannotAct,
        "hi",
        "नहीं दे सकत* | नहीं कर सकत* | नहीं बता सकत* | नहीं लिख सकत* | नहीं दे पाऊ* | नहीं कर पाऊ* | \
         नहीं दूंग* | नहीं दूँग* | नहीं करूंग* | नहीं करूँग* | सक्षम नहीं | असमर्थ हूं | असमर्थ हूँ | \
         नहीं बना सकत* | नहीं खोल सकत* | नहीं देख सकत* | नहीं लिखूंग* | नहीं लिखूँग* | अनुमति नहीं | \
         मदद नहीं | सहायता नहीं | उत्तर नहीं दे | जवाब नहीं दे | नहीं बताऊ* | पूरा नहीं कर | \
         साझा नहीं कर | असमर्थ",
    ),
    words(
        Cannot,
        "vi",
        "tôi không thể | mình không thể | em không thể | không thể | tôi không được phép | \
         tôi không có khả năng | tôi sẽ không | tôi không có quyền | tôi từ chối | tôi không muốn | \
         chúng tôi không thể | không được phép",
    ),
    words(
        Cannot,
        "id",
        "saya tidak bisa | saya tidak dapat | tidak bisa | tidak dapat | saya tidak akan | \
         saya tidak mampu | saya tidak boleh | saya tidak diizinkan | kami tidak dapat | \
         kami tidak bisa | saya menolak untuk | saya tidak diperbolehkan | tidak diperbolehkan",
    ),
    words(Cannot, "th", "ไม่สามารถ | ไม่อาจ | ไม่ขอ | ไม่ได้รับอนุญาต | ไม่สะดวก | ไม่อยาก"),
    words(
        CannotAct,
        "ko",
        "제공할 수 없 | 제공할 수는 없 | 지원하지 않습니다 | 제공하는 것은 불가능 | 역할의 범위를 벗어 | 제공해 드리기 어렵 | 제공해드리기 어렵 | 제공하기 어렵 | \
         제공하기는 어렵 | 제공해 드릴 수는 | 추정할 수 없 | 조장하지 않 | 제공해 드릴 수 없 | 제공해드릴 수 없 | 제공하지 않 | 제공해 드리지 않 | \
         제공하지 못 | 도와드릴 수 없 | 도와 드릴 수 없 | 도와드릴 수가 없 | 도와줄 수 없 | 도울 수 없 | 돕지 않 | 도와드리지 않 | 도와드리지 못 | \
         도와드리기 어렵 | 도와드리기 힘 | 도움을 드릴 수 없 | 도움을 줄 수 없 | 도움드릴 수 없 | 도움을 드리기 어렵 | 답변할 수 없 | 답변드릴 수 없 | \
         답변 드릴 수 없 | 답변을 드릴 수 없 | 답변을 드리기 | 답변드리기 어렵 | 답변하기 어렵 | 답변을 제공하기 어렵 | 답할 수 없 | 대답할 수 없 | \
         답변하지 않 | 답해 드릴 수 없 | 답변해 드릴 수 없 | 알려드릴 수 없 | 알려 드릴 수 없 | 알려줄 수 없 | 알려드릴 수는 없 | 알려 드리지 않 | \
         알려드리지 않 | 알려드리기 어렵 | 말씀드릴 수 없 | 말씀드리기 어렵 | 말할 수 없 | 설명할 수 없 | 설명해 드릴 수 없 | 설명해드릴 수 없 | \
         설명드릴 수 없 | 작성할 수 없 | 작성해 드릴 수 없 | 작성해드릴 수 없 | 써드릴 수 없 | 써 드릴 수 없 | 생성할 수 없 | 만들 수 없 | \
         만들어 드릴 수 없 | 만들어드릴 수 없 | 응할 수 없 | 응하기 어렵 | 응답할 수 없 | 응해 드릴 수 없 | 수행할 수 없 | 처리할 수 없 | 이행할 수 없 | \
         다룰 수 없 | 논의할 수 없 | 공유할 수 없 | 조언할 수 없 | 조언을 드릴 수 없 | 안내할 수 없 | 안내해 드릴 수 없 | 안내해드릴 수 없 | \
         안내드릴 수 없 | 추천할 수 없 | 추천해 드릴 수 없 | 추천드릴 수 없 | 지원할 수 없 | 동의할 수 없 | 해 드릴 수 없 | 해드릴 수 없 | 드릴 수 없 | \
         드릴 수는 없 | 드릴 수가 없 | 드리기 어렵 | 드리기는 어렵 | 드리기 힘들 | 드리지 않겠 | 드리지 못 | 들어드릴 수 없 | 따를 수 없 | 접근할 수 없 | \
         열람할 수 없 | 확인할 수 없 | 알 수 없습니다 | 참여할 수 없 | 제시할 수 없 | 묘사할 수 없 | 공개할 수 없 | 전달할 수 없 | 지지하지 않 | \
         장려하지 않 | 답변을 제공할 수 | 조장할 수 없 | 제안할 수 없 | 제안드릴 수 없 | 찾아드릴 수 없 | 해줄 수 없 | 줄 수 없 | 해 줄 수 없 | \
         작성하지 않 | 쓰지 않겠 | 답하지 않겠 | 생성하지 않 | 만들지 않겠 | 설명하지 않겠 | 공유하지 않",
    ),
    words(
        Cannot,
        "ko",
        "수 없습니다 | 수 없어요 | 수 없어 | 수는 없습니다 | 하지 않겠습니다 | 어렵습니다 | 불가능합니다 | 않도록 하겠습니다 | 수 없으며 | 수 없고 | \
         수 없으니 | 곤란합니다 | 제한됩니다 | 제한되어",
    ),
    words(
        CannotAct,
        "ja",
        "お答えできません | お答えすることはできません | お答えすることができません | お答えいたしかねます | お答えできかねます | お答えしかねます | 回答できません | \
         回答することはできません | 回答いたしかねます | 回答を控え | お答えを控え | お伝えできません | お伝えすることはできません | お教えできません | \
         お教えすることはできません | 教えることはできません | お手伝いできません | お手伝いすることはできません | お手伝いはできません | お手伝いはいたしかねます | \
         お手伝いいたしかねます | お力になれません | お役に立てません | お話しできません | お話しすることはできません | 提供できません | 提供することはできません | \
         提供することができません | ご提供できません | 提供いたしかねます | 提供しかねます | 提供しません | 応じられません | 応じることはできません | 応じることができません | \
         応じかねます | お応えできません | お応えすることはできません | 対応できません | 対応することはできません | 対応いたしかねます | 対応しかねます | 対応範囲外 | \
         支援できません | 支援することはできません | 協力できません | 協力することはできません | 作成できません | 作成することはできません | 生成できません | \
         生成することはできません | 書くことはできません | 書けません | 説明できません | 説明することはできません | ご説明できません | ご案内できません | 案内できません | \
         いたしかねます | 致しかねます | できかねます | しかねます | 控えさせていただきます | 差し控え | お断り | ご希望に添えません | ご要望に添えません | \
         ご期待に沿えません | ご要望にはお応え | アクセスできません | アクセスすることはできません | アクセスすることができません | 開くことはできません | 閲覧できません | \
         参加できません | 手助けできません | 助けることはできません | 助言できません | アドバイスできません | 議論できません | 論じることはできません | コメントできません | \
         コメントすることはできません | 紹介できません | お見せできません | 共有できません | 共有することはできません | 従うことはできません | 承れません | \
         承ることができません | 引き受けられません | 遠慮させていただきます | お受けできません | 助言はできません | 説明はできません | 回答はできません | 提供はできません | \
         作成はできません | 協力はできません | 支援はできません | お答えはできません | お話はできません | サポートできません | サポートはできません | 診断はできません | \
         診断できません",
    ),
    words(
        CannotAct,
        "zh",
        "无法回答 | 无法提供 | 无法满足 | 无法协助 | 无法帮助 | 无法讨论 | 无法生成 | 无法完成 | 无法处理 | 无法访问 | 无法帮 | 无法为您 | 无法为你 | 无法给 | \
         无法支持 | 无法参与 | 无法撰写 | 无法创作 | 无法继续 | 无法执行 | 无法打开 | 无法查看 | 无法对 | 无法就 | 无法透露 | 无法告诉 | 无法解答 | 无法按 | \
         无法响应 | 无法编写 | 无法写 | 无法谈论 | 不能提供 | 不能帮助 | 不能帮 | 不能回答 | 不能讨论 | 不能写 | 不能协助 | 不能生成 | 不能满足 | 不能透露 | \
         不能告诉 | 不能给 | 不能为您 | 不能为你 | 不能参与 | 不能支持 | 不能创作 | 不能执行 | 不能说明 | 不能继续 | 不能分享 | 不能谈论 | 不会提供 | 不会帮 | \
         不会协助 | 不会写 | 不会回答 | 不会参与 | 不会生成 | 不会给 | 不便回答 | 不便提供 | 不便讨论 | 不便透露 | 不便评论 | 不予回答 | 不予提供 | 拒绝回答 | \
         拒绝提供 | 拒绝协助 | 无可奉告 | 帮不了 | 帮不上 | 做不到 | 爱莫能助 | 难以提供 | 难以回答 | 不方便 | 没办法提供 | 没有办法提供 | 没办法帮 | \
         没办法回答 | 不可以提供 | 不可以帮 | 無法回答 | 無法提供 | 無法滿足 | 無法協助 | 無法幫 | 無法討論 | 無法生成 | 無法完成 | 無法處理 | 無法存取 | \
         無法為您 | 無法為你 | 無法給 | 無法參與 | 無法撰寫 | 無法執行 | 無法開啟 | 不能幫 | 不能討論 | 不能寫 | 不能協助 | 不會提供 | 不會幫 | 拒絕回答 | \
         拒絕提供 | 幫不了 | 無法告訴 | 無法分享",
    ),
    words(
        Cannot,
        "zh",
        "我无法 | 我不能 | 我不会 | 我不可以 | 我無法 | 我不會 | 本人无法 | 我没办法 | 我沒辦法 | 我不便",
    ),
];
