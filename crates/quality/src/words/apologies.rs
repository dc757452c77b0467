//! Apologies and regrets that open a refusal, in many languages. Data only.

use super::Sense::Apology;
use super::{Words, words};

pub(crate) static LIST: &[Words] = &[
    words(
        Apology,
        "en",
        "sorry | i apologize | i apologise | apologies | i regret | unfortunately | i'm afraid | \
         i am afraid | regrettably | forgive me | pardon me | with all due respect | alas",
    ),
    words(
        Apology,
        "de",
        "tut mir leid | tut mir sehr leid | tut uns leid | leider | entschuldig* | verzeih* | bedaure* | \
         bedauerlicherweise | sorry",
    ),
    words(
        Apology,
        "fr",
        "désolé | désolée | désolés | navré | navrée | je regrette | malheureusement | excusez-moi | \
         je m'excuse | mes excuses | pardon | toutes mes excuses | hélas",
    ),
    words(
        Apology,
        "es",
        "lo siento | lo lamento | lamento | disculpa* | perdón | perdona | perdone | lamentablemente | \
         desafortunadamente | por desgracia | me temo | desgraciadamente | siento no | mis disculpas",
    ),
    words(
        Apology,
        "pt",
        "desculp* | sinto muito | lamento | lamentamos | infelizmente | perdão | peço desculpa* | \
         receio que | lamentavelmente",
    ),
    words(
        Apology,
        "it",
        "mi dispiace | mi spiace | ci dispiace | purtroppo | scusa | scusami | scusate | scusi | \
         temo che | temo di | sono spiacente | spiacente | chiedo scusa",
    ),
    words(
        Apology,
        "nl",
        "het spijt me | spijt me | helaas | sorry | excuses | excuseer | mijn excuses | jammer genoeg",
    ),
    words(Apology, "sv", "tyvärr | förlåt | jag beklagar | jag är ledsen | ledsen | ursäkta | beklagar"),
    words(Apology, "da", "beklager | desværre | undskyld"),
    words(Apology, "no", "beklager | dessverre | unnskyld"),
    words(Apology, "fi", "valitettavasti | pahoittelen | anteeksi | olen pahoillani"),
    words(
        Apology,
        "pl",
        "przepraszam | przykro mi | niestety | wybacz | proszę o wybaczenie | obawiam się | żałuję",
    ),
    words(Apology, "cs", "omlouvám se | bohužel | promiňte | promiň | je mi líto | lituji | obávám se"),
    words(
        Apology,
        "ru",
        "извините | извини | простите | прости | к сожалению | мне жаль | сожалею | приношу извинения | \
         прошу прощения | увы | боюсь | мне очень жаль",
    ),
    words(
        Apology,
        "uk",
        "вибачте | вибач | пробачте | на жаль | мені шкода | шкода | перепрошую | прошу вибачення",
    ),
    words(
        Apology,
        "tr",
        "üzgünüm | maalesef | ne yazık ki | özür dilerim | kusura bakma* | affedersiniz | afedersiniz | \
         korkarım",
    ),
    words(
        Apology,
        "ar",
        "عذرا | آسف | آسفة | أعتذر | للأسف | نأسف | معذرة | مع الأسف | اعذرني | المعذرة | نعتذر",
    ),
    words(Apology, "he", "מצטער | מצטערת | סליחה | לצערי | מתנצל | לצערנו | צר לי"),
    words(
        Apology,
        "hi",
        "माफ़ कीजिए | माफ करें | माफ़ करें | क्षमा करें | क्षमा कीजिए | क्षमा चाहता | क्षमा चाहती | \
         खेद है | अफ़सोस | दुर्भाग्य से | दुर्भाग्यवश | मुझे खेद | माफ़ी | क्षमा",
    ),
    words(Apology, "vi", "xin lỗi | rất tiếc | tiếc là | thật tiếc | thành thật xin lỗi | tôi e rằng"),
    words(Apology, "id", "maaf | mohon maaf | sayangnya | sayang sekali | saya minta maaf"),
    words(Apology, "th", "ขอโทษ | ขออภัย | เสียใจ | น่าเสียดาย"),
    words(Apology, "ko", "죄송 | 미안 | 유감 | 안타깝 | 아쉽지만 | 양해"),
    words(
        Apology,
        "ja",
        "申し訳 | すみません | すいません | ごめんなさい | ごめん | 残念ながら | 残念ですが | 恐れ入り | 恐縮です | あいにく | お詫び | 失礼ですが",
    ),
    words(
        Apology,
        "zh",
        "抱歉 | 对不起 | 對不起 | 很遗憾 | 很遺憾 | 遗憾 | 遺憾 | 不好意思 | 请原谅 | 請原諒 | 请见谅 | 恕我 | 请恕 | 請恕 | 非常抱歉 | 可惜",
    ),
];
