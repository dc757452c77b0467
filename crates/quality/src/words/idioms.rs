//! Figures of speech that sound like a refusal or an apology and are neither. Data only.

use super::Sense::{Idiom, Sympathy};
use super::{Words, words};

pub(crate) static LIST: &[Words] = &[
    words(
        Idiom,
        "en",
        "stress enough | can't stress | cannot stress | can't emphasize | cannot emphasize | \
         can't wait | cannot wait | help but | thank you enough | recommend it more | \
         recommend this more | recommend them more | recommend it enough | more highly | more strongly | \
         enough | tell a lie | believe how | can't believe | cannot believe | can't imagine | \
         cannot imagine | overstate | overemphasize | tell you how much | tell you how excited | \
         tell you how happy | tell you how many times | tell you how glad | tell you how often | \
         tell you how proud | sugarcoat | sugar-coat | won't lie | will not lie | agree more | \
         can't argue | can't go wrong | be happier | be more excited | be prouder | complain | \
         contain my | will not only | won't only | won't just | will not just | refuse to give up | \
         refuse to let | let you fail | help myself | resist | for sure | say for certain | \
         say with certainty | be certain | guarantee | without more | without seeing | until i see | \
         without knowing | bore you | help noticing | help laughing | help feeling | \
         tell the difference | tell if | tell whether | make sense of | make heads | live without | \
         do without | put it down | say enough | speak highly | disagree | find any | see any | \
         think of | express how | express enough | thank you | reproduce the",
    ),
    words(
        Sympathy,
        "en",
        "sorry to hear | sorry for the confusion | sorry for any confusion | \
         sorry for the inconvenience | sorry about that | sorry for the delay | sorry for the late | \
         sorry for the mistake | sorry for the error | sorry for your loss | sorry you're | \
         sorry you are | sorry that you | sorry for the misunderstanding | apologies for the confusion | \
         apologize for the confusion | apologise for the confusion | apologize for any confusion | \
         apologize for the mistake | apologize for the error | apologies for the mistake | \
         apologies for the delay | apologies for any confusion | apologize for the inconvenience | \
         apologies for the inconvenience | apologize for any inconvenience | sorry for the trouble | \
         sorry to see | sorry, could you | sorry if | apologies if | afraid of | \
         apologize for the delay | apologize for my | apologies for my | sorry for my | \
         sorry about the | apologize for the previous | apologies for the previous | \
         apologies for the error | sorry for what",
    ),
    words(
        Idiom,
        "de",
        "nicht genug | nicht umhin | kaum erwarten | nicht erwarten | nicht oft genug | nicht sicher | \
         nicht genau | nicht glauben | nicht nur | nicht leugnen | nicht vorstellen | nicht garantieren",
    ),
    words(
        Sympathy,
        "de",
        "leid für die | leid, das zu hören | leid zu hören | entschuldigung für | entschuldige die | \
         entschuldigen sie die | leid wegen | leid für den | leid für das | sorry für",
    ),
    words(
        Idiom,
        "fr",
        "trop vous | trop te | trop insister | assez | m'empêcher | qu'être d'accord | attendre de | \
         être plus d'accord | que recommander | que vous conseiller | trop recommander | nier que | \
         garantir | imaginer | pas seulement | croire",
    ),
    words(
        Sympathy,
        "fr",
        "désolé pour | désolée pour | désolé d'apprendre | désolée d'apprendre | désolé du | \
         désolé de l' | désolé de la | excuses pour | excusez-moi pour | navré d'apprendre | \
         navrée d'apprendre | désolé d'entendre | navré pour | désolé que | regrette d'apprendre",
    ),
    words(
        Idiom,
        "es",
        "dejar de | más de acuerdo | evitar | esperar a | esperar para | enfatizar lo suficiente | \
         lo suficiente | estar más | creer | asegurar | garantizar | imaginar | negar que",
    ),
    words(
        Sympathy,
        "es",
        "lo siento por | siento mucho lo | perdón por | disculpa por | disculpas por | disculpa la | \
         disculpa el | lamento la | lamento el | lamento lo | siento la | siento el | lamento que | \
         lamento oír | lamento escuchar | siento oír | siento que | disculpe por | disculpe la | \
         disculpe el | perdona por | perdona la | lamento mucho",
    ),
    words(
        Idiom,
        "pt",
        "deixar de | concordar mais | evitar | esperar para | enfatizar o suficiente | o suficiente | \
         suficientemente | acreditar | garantir | imaginar | negar que",
    ),
    words(
        Sympathy,
        "pt",
        "desculpe pela | desculpe pelo | desculpa pela | desculpa pelo | desculpas pela | \
         desculpas pelo | sinto muito pela | sinto muito pelo | sinto muito por | lamento pela | \
         lamento pelo | sinto muito que | sinto muito em saber | sinto muito saber | lamento saber | \
         lamento ouvir | desculpe a | desculpe o | desculpem",
    ),
    words(
        Idiom,
        "it",
        "fare a meno | non vedere l'ora | essere più d'accordo | abbastanza | che consigliare | \
         che raccomandare | credere | garantire | immaginare | negare che | evitare di",
    ),
    words(
        Sympathy,
        "it",
        "dispiace per | spiace per | scusa per | scusate per | scusi per | scusa il | scusa la | \
         scusi il | scusi la | dispiace sentire | dispiace sapere | dispiace che | \
         mi dispiace sentirlo | scusa l' | dispiace molto per",
    ),
    words(
        Idiom,
        "nl",
        "niet genoeg | niet wachten | niet ontkennen | niet vaak genoeg | niet zeker | niet alleen | \
         niet geloven | niet garanderen | niet laten | niet helpen maar",
    ),
    words(
        Sympathy,
        "nl",
        "sorry voor | spijt me dat | spijt me te horen | excuses voor | spijt me voor | spijt me van",
    ),
    words(
        Idiom,
        "sv",
        "inte nog | inte vänta | inte låta bli | inte garantera | inte bara | inte förneka | \
         inte hålla med mer | inte tillräckligt",
    ),
    words(
        Sympathy,
        "sv",
        "ledsen att höra | förlåt för | ursäkta för | ursäkta det | beklagar sorgen | ledsen för | \
         ursäkta dröjsmålet | förlåt det",
    ),
    words(
        Idiom,
        "pl",
        "się doczekać | nie zgodzić | dość | wystarczająco | zagwarantować | uwierzyć | zaprzeczyć | \
         powstrzymać | nachwalić | doczekać się",
    ),
    words(
        Sympathy,
        "pl",
        "przepraszam za | przykro mi to słyszeć | przykro mi z powodu | przykro mi, że | \
         przepraszam, że | wybacz za",
    ),
    words(Idiom, "cs", "se dočkat | dostatečně | než souhlasit | zaručit | uvěřit | dost_ | vynachválit"),
    words(
        Sympathy,
        "cs",
        "omlouvám se za | promiňte za | líto, že | líto to slyšet | promiň za | omlouvám se, že",
    ),
    words(
        Idiom,
        "ru",
        "не согласиться | дождаться | не отметить | не рекомендовать | не порекомендовать | достаточно | \
         гарантировать | поверить | не восхищаться | нарадоваться | не сказать | не упомянуть | \
         отрицать | представить",
    ),
    words(
        Sympathy,
        "ru",
        "извините за | простите за | жаль это слышать | жаль слышать | жаль, что | извини за | \
         прости за | прошу прощения за | сожалею о | сожалею, что | извинения за",
    ),
    words(Idiom, "uk", "не погодитися | дочекатися | достатньо | гарантувати | не відзначити | повірити"),
    words(Sympathy, "uk", "вибачте за | пробачте за | шкода це чути | шкода, що | вибач за | перепрошую за"),
    words(
        Idiom,
        "tr",
        "yeterince | sabırsızlan* | daha fazla katılamam | inanamıyorum | garanti edemem | emin olamam | \
         kendimi alamıyorum",
    ),
    words(
        Sympathy,
        "tr",
        "hata için özür | için özür dilerim | karışıklık için | duyduğuma üzüldüm | gecikme için | \
         için üzgünüm | için kusura",
    ),
    words(
        Idiom,
        "ar",
        "بما يكفي | أن أنتظر | إلا أن | بما فيه الكفاية | أن أتفق أكثر | أن أصدق | أن أضمن | الانتظار",
    ),
    words(
        Sympathy,
        "ar",
        "عذرا على | آسف على | أعتذر عن الخطأ | أعتذر عن التأخير | آسف لسماع | نأسف على | أعتذر على | \
         آسف للتأخير | عذرا عن | يؤسفني سماع | أعتذر عن الإزعاج",
    ),
    words(Idiom, "he", "מספיק | לחכות | שלא להסכים | להאמין | להבטיח"),
    words(Sympathy, "he", "מצטער על | סליחה על | מצטערת על | צר לי לשמוע | מצטער לשמוע | מתנצל על"),
    words(Idiom, "hi", "इंतज़ार नहीं कर | इंतजार नहीं कर | पर्याप्त | जितना कहूँ कम | विश्वास नहीं | यकीन नहीं"),
    words(
        Sympathy,
        "hi",
        "गलती के लिए | ग़लती के लिए | देरी के लिए | भ्रम के लिए | सुनकर दुख | असुविधा के लिए | यह सुनकर",
    ),
    words(Idiom, "vi", "đủ | chờ được | đồng ý hơn | tin được | đảm bảo | không khen | không giới thiệu"),
    words(
        Sympathy,
        "vi",
        "xin lỗi vì | xin lỗi về | rất tiếc khi | tiếc khi nghe | xin lỗi đã | rất tiếc vì | xin lỗi cho",
    ),
    words(Idiom, "id", "cukup | sabar | lebih setuju | menjamin | percaya | tidak merekomendasikan"),
    words(
        Sympathy,
        "id",
        "maaf atas | maaf karena | turut berduka | maaf mendengar | maaf sudah | maaf telah | maaf untuk",
    ),
    words(Idiom, "th", "ไม่อาจปฏิเสธ | รอไม่ไหว | เพียงพอ | ไม่สามารถรอ"),
    words(
        Sympathy,
        "th",
        "ขออภัยในความ | ขอโทษในความ | ขอโทษที่ | ขออภัยที่ | เสียใจด้วย | เสียใจที่ได้ | ขอโทษสำหรับ | \
         ขออภัยสำหรับ | ขอโทษเรื่อง",
    ),
    words(
        Idiom,
        "ko",
        "강조해도 | 아무리 강조 | 않을 수 없 | 기다릴 수 없 | 믿을 수 없 | 헤아릴 수 없 | 빼놓을 수 없 | 이루 말할 수 없 | 말할 수 없이 | 두말할 | \
         나눌 수 없 | 더 동의할 수 | 피할 수 없 | 뗄 수 없 | 떼려야 | 무시할 수 없 | 부인할 수 없 | 막을 수 없 | 알 수 없는",
    ),
    words(
        Sympathy,
        "ko",
        "늦어 죄송 | 늦어서 죄송 | 죄송합니다, 제가 잘못 | 혼란을 드려 | 불편을 드려 | 잘못 계산 | 착오 | 실수 | 오류 | 기다리게 해 | \
         죄송합니다. 제가 잘못 | 잘못된 정보를 드려 | 혼동을 드려 | 번거롭게",
    ),
    words(
        Idiom,
        "ja",
        "せずにはいられません | ざるを得ません | に違いありません | かもしれません | わけにはいきません | 待ちきれません | 返すことができません | 割ることはできません | \
         言うまでもありません | 欠かせません | 欠かすことはできません | 信じられません | しすぎることはありません | 見逃せません",
    ),
    words(
        Sympathy,
        "ja",
        "お待たせ | 遅くなり | 遅れて | 間違えました | 間違いでした | 混乱させて | 誤りでした | ご迷惑 | 失礼しました | 訂正 | お詫びして訂正 | 誤解 | 先ほどの",
    ),
    words(
        Idiom,
        "zh",
        "不能不 | 不得不 | 无法不 | 不会忘 | 不能再同意 | 迫不及待 | 无法否认 | 无法想象 | 不能忽视 | 无法相信 | 不能错过 | 无法抗拒 | 无法用言语 | 不能更 | \
         无法保证 | 不會忘 | 無法想像 | 不禁",
    ),
    words(
        Sympathy,
        "zh",
        "抱歉让您 | 抱歉让你 | 抱歉回复 | 抱歉，刚才 | 抱歉之前 | 久等 | 抱歉给您 | 抱歉给你 | 抱歉造成 | 很遗憾听到 | 抱歉听到 | 抱歉，我之前 | 抱歉，之前 | \
         抱歉打扰 | 抱歉，我刚才 | 对不起，我算错 | 抱歉，我算错 | 对不起，之前 | 抱歉讓您 | 抱歉回覆 | 抱歉，上一 | 对不起，上一 | 抱歉晚 | 弄错 | 算错 | 误会 | \
         搞错",
    ),
];
