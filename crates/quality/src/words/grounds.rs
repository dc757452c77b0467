//! Grounds that a refusal gives: rules, being a machine, a missing means, morals. Data only.

use super::Sense::{Crime, Identity, Lack, Moral, Policy, Value};
use super::{Words, words};

pub(crate) static LIST: &[Words] = &[
    words(
        Policy,
        "en",
        "guideline* | policy | policies | programming | ethical standards | safety reasons | \
         safety concerns | ethical reasons | privacy reasons | legal reasons | terms of service | \
         terms of use | could cause harm | illegal | unethical | harmful | inappropriate | dangerous | \
         unlawful | violation | violate | violates | privacy | offensive | explicit | sensitive | \
         confidential | against the law | discriminatory | hateful | ethical guidelines | ethically | \
         legally | without consent | without their consent | potentially harmful",
    ),
    words(
        Identity,
        "en",
        "as an ai | as an artificial intelligence | as a language model | as a large language model | \
         as an assistant | i am an ai | i'm an ai | i am just an ai | i'm just an ai | \
         i am a language model | i'm a language model | i am a large language model | \
         i'm a large language model | as a text-based | i am programmed to be | i'm programmed to be | \
         i'm only an ai | i am only an ai | my purpose is to | as your ai | as chatgpt | as claude | \
         being an ai | i am designed to | i'm designed to | my programming | i was designed | \
         i was trained | ai language model | i am claude | i am chatgpt | i am designed to be",
    ),
    words(
        Lack,
        "en",
        "i don't have access | i do not have access | i don't have the ability | \
         i do not have the ability | i don't have real-time | i do not have real-time | \
         i don't have personal | i do not have personal | i don't have a physical | \
         i do not have a physical | i don't have any | i do not have any | i do not have information | \
         i don't have information | i have no access | i have no way of | i don't have the capability | \
         i do not have the capability | do not have the capability | i don't have enough information | \
         i do not possess | i don't possess | i have no information | i lack the ability | \
         i do not have political | i don't have political | i don't have opinions | \
         i do not have opinions | i don't have feelings | i do not have feelings | not have access to | \
         do not have the ability | don't have the ability | knowledge cutoff | real-time data | \
         real-time information | don't know who | i have no knowledge | \
         i don't have specific information | i don't have a body | i do not actually | \
         i don't actually | i don't have that information | i do not have that information | \
         i don't know the current | i do not know the current | i am not able to access | \
         i cannot access | i can't access | i'm not able to access | unable to access | can't view | \
         cannot view | can't browse | cannot browse | can't open | cannot open | \
         i am not actually able | i'm not actually able | i am not capable of",
    ),
    words(
        Moral,
        "en",
        "it is not appropriate | it's not appropriate | it is not ethical | it's not ethical | \
         it is not acceptable | it's not acceptable | it is never acceptable | it's never acceptable | \
         it is never appropriate | it is not okay | it's not okay | it is unethical | it's unethical | \
         it is inappropriate | it's inappropriate | it is not respectful | it's not respectful | \
         it is not right to | it is wrong to | it's wrong to | not ethical or | not appropriate or | \
         not accurate or | or ethical to | or appropriate to | or respectful to | or fair to | \
         or legal to | or safe to | i must clarify that | i must point out | \
         i must respectfully point out | i must address | i must emphasize | i must inform | \
         i must remind | inappropriate and offensive | harmful, unethical | not recommended or safe | \
         i don't think it's appropriate | i do not think it's appropriate | \
         i do not think it is appropriate | don't think it's accurate or | \
         not sure that it's appropriate | it is not a good idea | it's not a good idea | \
         is not ethical to | is not appropriate to | raises serious | i want to be extremely clear | \
         i want to be very clear | i want to be absolutely clear | not factually coherent | \
         serious ethical | it is not possible or | is not an appropriate | is not an ethical | \
         is not a healthy | important to remember that promoting | i strongly advise against | \
         i strongly condemn | not a safe or ethical | would be irresponsible | would be unethical | \
         would be wrong of me | irresponsible of me | would be inappropriate | would not be right",
    ),
    words(
        Crime,
        "en",
        "is illegal | it's illegal | is not legal | is never acceptable | is not acceptable | \
         are not acceptable | is never the answer | is never justified | is not justified | \
         was not justified | was not morally justified | is never okay | should not be discriminated | \
         should never be | is a serious crime | is a criminal act | is a crime | is harmful and | \
         morally wrong | morally reprehensible | it is not safe | it's not safe | \
         there is no justification | not be tolerated | is extremely dangerous | was not right | \
         were no benefits | is fraud | is unethical | not be emulated | are not inherently | \
         was a tragic | is a violation | illegal and | it is illegal | was a violation | is wrong | \
         there are no ways",
    ),
    words(
        Value,
        "en",
        "respect | respectful | dignity | discriminat* | violence | violent | consent | seek help | \
         professional help | mental health | support and | reach out | hotline | crisis | authorities | \
         law enforcement | legal consequences | severe consequences | human rights | equality | \
         promote | well-being | wellbeing | safety and | others' rights | important to remember | \
         important to note | important to respect | important to treat | crucial to | marginalized | \
         stereotype* | harm to | harming | harm others | regardless of | inclusive | compassion | 988 | \
         a trusted | licensed | principles of | fairness | criminal | privacy of | kindness | tragic | \
         justice | ethical principles | harm or",
    ),
    words(
        Policy,
        "de",
        "richtlinie* | illegal* | gesetz* | ethisch* | sicherheitsgründen | schädlich* | gefährlich* | \
         unangemessen | datenschutz* | programmierung",
    ),
    words(
        Identity,
        "de",
        "als ki | als ki-* | als sprachmodell | als künstliche intelligenz | ich bin ein ki-* | \
         ich bin nur eine ki | ich bin eine ki | als assistent | als großes sprachmodell | \
         ich bin ein sprachmodell | als ein ki-*",
    ),
    words(
        Lack,
        "de",
        "keinen zugriff | keinen zugang | keine echtzeit* | habe ich keine meinung | keine persönliche*",
    ),
    words(
        Moral,
        "de",
        "das ist illegal | nicht angemessen | ist strafbar | das ist verboten | ist unethisch | \
         es ist nicht ethisch | es wäre unethisch | wäre nicht angemessen",
    ),
    words(
        Policy,
        "fr",
        "illégal* | éthique* | règles d'utilisation | politique* | raisons de sécurité | dangereux | \
         directives | nuisible* | inappropriée* | inapproprié | confidentialité",
    ),
    words(
        Identity,
        "fr",
        "en tant qu'ia | en tant que modèle | en tant qu'intelligence | en tant qu'assistant | \
         je suis une ia | je suis un modèle | je ne suis qu'une ia | je suis une intelligence | \
         je suis un assistant",
    ),
    words(
        Lack,
        "fr",
        "je n'ai pas accès | pas accès à | je n'ai pas d'opinion* | je n'ai pas la capacité | \
         je n'ai pas la possibilité | temps réel",
    ),
    words(
        Moral,
        "fr",
        "ce n'est pas approprié | il n'est pas approprié | c'est illégal | il est illégal | \
         contraire à l'éthique | il n'est pas éthique | ce n'est pas éthique | il serait inapproprié | \
         ce serait inapproprié",
    ),
    words(
        Policy,
        "es",
        "ilegal* | ético* | ética* | motivos éticos | normas | políticas | directrices | peligros* | \
         dañin* | inapropiad* | seguridad | privacidad",
    ),
    words(
        Identity,
        "es",
        "como ia | como modelo de lenguaje | como inteligencia artificial | como asistente de ia | \
         como un modelo | soy una ia | soy un modelo | soy una inteligencia | soy un asistente | \
         como asistente virtual | como modelo de ia | solo soy",
    ),
    words(
        Lack,
        "es",
        "no tengo acceso | no tengo opiniones | no tengo información | no tengo la capacidad | \
         tiempo real | no dispongo de",
    ),
    words(
        Moral,
        "es",
        "no es apropiado | no es ético | es ilegal | no es correcto | no sería apropiado | \
         sería inapropiado | es inaceptable | no está permitido ayudar",
    ),
    words(
        Policy,
        "pt",
        "ilegal* | ético* | ética* | diretrizes | políticas | perigos* | prejudicial | inadequad* | \
         inapropriad* | segurança | privacidade | normas",
    ),
    words(
        Identity,
        "pt",
        "como ia | como uma ia | como modelo de linguagem | como um modelo | \
         como inteligência artificial | sou uma ia | sou um modelo | sou uma inteligência | \
         como assistente | sou apenas",
    ),
    words(
        Lack,
        "pt",
        "não tenho acesso | não tenho opini* | não possuo | não tenho informaç* | \
         não tenho a capacidade | tempo real",
    ),
    words(
        Moral,
        "pt",
        "não é apropriado | não é ético | é ilegal | não é adequado | não seria apropriado | \
         seria inadequado | é inaceitável",
    ),
    words(
        Policy,
        "it",
        "illegal* | etic* | linee guida | politiche | pericolos* | dannos* | inappropriat* | sicurezza | \
         privacy | regole",
    ),
    words(
        Identity,
        "it",
        "come ia | come modello linguistico | come intelligenza artificiale | come assistente | \
         in quanto ia | in quanto modello | sono un'ia | sono un'intelligenza | sono un modello | \
         sono solo un | in quanto intelligenza | in quanto assistente | come modello di",
    ),
    words(
        Lack,
        "it",
        "non ho accesso | non ho opinion* | non dispongo | non ho la capacità | tempo reale | \
         non ho informazioni",
    ),
    words(
        Moral,
        "it",
        "non è appropriato | non è etico | è illegale | non sarebbe appropriato | \
         sarebbe inappropriato | non è corretto | è inaccettabile",
    ),
    words(
        Policy,
        "nl",
        "richtlijn* | illegaal | illegale | ethisch* | gevaarlijk* | schadelijk* | ongepast* | beleid | \
         veiligheidsredenen",
    ),
    words(
        Identity,
        "nl",
        "als ai | als ai-* | als taalmodel | ik ben een ai | ik ben een taalmodel | als kunstmatige | \
         ik ben maar een | ik ben een ai-*",
    ),
    words(Lack, "nl", "geen toegang | geen realtime | geen mening*"),
    words(Moral, "nl", "is niet gepast | is illegaal | is onethisch | het is niet ethisch | zou ongepast"),
    words(
        Policy,
        "sv",
        "riktlinje* | olaglig* | etisk* | oetisk* | farlig* | skadlig* | olämplig* | säkerhetsskäl",
    ),
    words(
        Identity,
        "sv",
        "som ai | som ai-* | som språkmodell | som en ai | jag är en ai | jag är en språkmodell | \
         som en språkmodell | jag är en ai-*",
    ),
    words(Lack, "sv", "inte tillgång | ingen tillgång | inga åsikter | ingen åsikt"),
    words(
        Policy,
        "pl",
        "wytyczn* | nielegaln* | etyczn* | nieetyczn* | niebezpieczn* | szkodliw* | zasad* | \
         względów bezpieczeństwa",
    ),
    words(
        Identity,
        "pl",
        "jako model językowy | jako ai | jako sztuczna inteligencja | jestem modelem | jestem sztuczną | \
         jako asystent | jestem tylko | jako si | jestem asystentem",
    ),
    words(
        Lack,
        "pl",
        "nie mam dostępu | nie posiadam | nie mam opinii | nie mam możliwości | czasie rzeczywistym",
    ),
    words(
        Policy,
        "cs",
        "nelegáln* | etick* | neetick* | nebezpečn* | škodliv* | pravidly | zásadami | nevhodn*",
    ),
    words(
        Identity,
        "cs",
        "jako jazykový model | jako ai | jako umělá inteligence | jsem jazykový model | jsem umělá | \
         jako asistent | jsem ai",
    ),
    words(Lack, "cs", "nemám přístup | nemám názor* | nemám k dispozici"),
    words(
        Policy,
        "ru",
        "незаконн* | этич* | неэтичн* | правил* | политик* | опасн* | вредн* | безопасности | недопустим*",
    ),
    words(
        Identity,
        "ru",
        "как языковая модель | как ии | как искусственный интеллект | я языковая модель | я всего лишь | \
         я ии | как ассистент | я — языковая | как большая языковая | я искусственный | \
         будучи языковой | будучи ии | как нейросет* | я - языковая",
    ),
    words(
        Lack,
        "ru",
        "нет доступа | не имею доступа | нет личного мнения | нет возможности | реальном времени | \
         нет мнения | не обладаю",
    ),
    words(Moral, "ru", "это незаконно | это неэтично | это недопустимо | неуместно | неприемлемо"),
    words(Policy, "uk", "незаконн* | етичн* | неетичн* | правил* | небезпечн* | шкідлив* | політик*"),
    words(
        Identity,
        "uk",
        "як мовна модель | як ші | як штучний інтелект | я мовна модель | я лише | я - мовна | я штучний",
    ),
    words(Lack, "uk", "немає доступу | не маю доступу | не маю думки"),
    words(
        Policy,
        "tr",
        "yasa dışı | yasadışı | etik | etik dışı | kurallar* | politika* | tehlikeli | zararlı | \
         güvenlik nedeni* | uygunsuz",
    ),
    words(
        Identity,
        "tr",
        "bir yapay zeka | dil modeli olarak | yapay zeka olarak | ben bir yapay | ben bir dil modeli | \
         asistan olarak | yapay zekayım",
    ),
    words(Lack, "tr", "erişimim yok | erişimim bulunm* | görüşüm yok | yeteneğim yok | sahip değilim"),
    words(
        Policy,
        "ar",
        "غير قانوني* | أخلاقي* | غير أخلاقي* | سياسات | إرشادات | خطير* | ضار* | لأسباب أمنية | غير لائق",
    ),
    words(
        Identity,
        "ar",
        "بصفتي نموذج* | كنموذج | كذكاء اصطناعي | أنا نموذج | بصفتي مساعد* | أنا مساعد | بصفتي ذكاء | \
         أنا ذكاء | باعتباري | كوني نموذج* | كمساعد",
    ),
    words(
        Lack,
        "ar",
        "ليس لدي إمكانية | لا أملك | ليس لدي وصول | لا يتوفر لدي | ليس لدي رأي | ليست لدي | لا تتوفر لدي",
    ),
    words(Policy, "he", "לא חוקי | מדיניות | לא אתי | מסוכן | מזיק | הנחיות | כללים"),
    words(Identity, "he", "כמודל שפה | כבינה מלאכותית | אני מודל | אני בינה | כעוזר | בתור מודל | בתור בינה"),
    words(Lack, "he", "אין לי גישה | אין לי דעה | אין לי אפשרות | אין לי יכולת"),
    words(
        Policy,
        "hi",
        "अवैध | गैरकानूनी | अनैतिक | नैतिक | नीति* | दिशानिर्देश* | खतरनाक | हानिकारक | सुरक्षा कारणों | \
         अनुचित",
    ),
    words(Identity, "hi", "एआई के रूप में | भाषा मॉडल | एक एआई | कृत्रिम बुद्धिमत्ता | एआई मॉडल | एआई सहायक | एक ai"),
    words(Lack, "hi", "पहुँच नहीं | पहुंच नहीं | जानकारी नहीं है | एक्सेस नहीं | राय नहीं"),
    words(
        Policy,
        "vi",
        "bất hợp pháp | phi đạo đức | đạo đức | chính sách | nguy hiểm | có hại | lý do an toàn | \
         không phù hợp | trái pháp luật",
    ),
    words(
        Identity,
        "vi",
        "là một ai | là một mô hình ngôn ngữ | với tư cách là | tôi là một ai | tôi chỉ là | \
         là một trợ lý | là mô hình ngôn ngữ | tôi là mô hình | là trí tuệ nhân tạo",
    ),
    words(
        Lack,
        "vi",
        "không có quyền truy cập | không có ý kiến | không có thông tin | thời gian thực | \
         không thể truy cập",
    ),
    words(
        Policy,
        "id",
        "ilegal | etis | tidak etis | kebijakan | pedoman | berbahaya | alasan keamanan | tidak pantas | \
         melanggar hukum",
    ),
    words(
        Identity,
        "id",
        "sebagai ai | sebagai model bahasa | saya adalah ai | saya adalah model | saya hanyalah | \
         sebagai asisten | sebagai kecerdasan",
    ),
    words(
        Lack,
        "id",
        "tidak memiliki akses | tidak punya akses | tidak memiliki pendapat | tidak memiliki informasi | \
         waktu nyata",
    ),
    words(Policy, "th", "ผิดกฎหมาย | จริยธรรม | นโยบาย | อันตราย | ไม่เหมาะสม | ความปลอดภัย"),
    words(
        Identity,
        "th",
        "ในฐานะ ai | ในฐานะเอไอ | โมเดลภาษา | แบบจำลองภาษา | ฉันเป็น ai | ปัญญาประดิษฐ์ | เป็นเพียง",
    ),
    words(Lack, "th", "ไม่มีสิทธิ์ | ไม่มีข้อมูล | เข้าถึงไม่ได้ | ไม่มีความเห็น"),
    words(
        Policy,
        "ko",
        "불법 | 비윤리 | 윤리적 | 정책 | 지침 | 가이드라인 | 유해 | 위험 | 부적절 | 개인정보 | 개인 정보 | 사생활 | 프라이버시 | 안전상 | 법적 | \
         도덕적 | 민감한",
    ),
    words(
        Identity,
        "ko",
        "ai로서 | ai 언어 모델 | 언어 모델로서 | 인공지능으로서 | 저는 ai | 인공지능 언어 | ai 모델로서 | 저는 인공지능 | ai 어시스턴트 | \
         저는 언어 모델 | ai이기 때문 | 인공지능이기 | ai 비서",
    ),
    words(
        Lack,
        "ko",
        "접근 권한이 없 | 접근할 수 없 | 접근할 수 있는 권한이 없 | 정보를 가지고 있지 않 | 정보가 없습니다 | 정보를 보유하고 있지 않 | 개인적인 의견을 가지 | \
         알지 못합니다 | 알 수 없습니다 | 알 수 없으며 | 알 수 없고 | 실시간 정보 | 권한이 없 | 확인할 방법이 없 | 알 방법이 없 | 공개되지 않 | 접근이 불가",
    ),
    words(
        Moral,
        "ko",
        "것은 적절하지 않 | 것은 부적절 | 것이 적절하지 않 | 것은 옳지 않 | 요청은 부적절 | 질문은 부적절 | 용납될 수 없 | 용납되지 않 | 정당화될 수 없 | \
         허용되지 않습니다 | 받아들여질 수 없 | 하시면 안 됩니다 | 해서는 안 됩니다 | 시도해서는 안 | 되어서는 안 됩니다 | 하지 마세요 | 하지 마십시오 | \
         절대로 해서는 | 질문은 매우 | 부적절하며 | 적절하지 않다고 | 접근은 적절하지 | 윤리적으로 올바르지 | 바람직하지 않습니다 | 비윤리적인 행위 | 위에 어긋나는 | \
         어긋나는 내용 | 문제를 초래할 수 있 | 질문은 법률",
    ),
    words(
        Crime,
        "ko",
        "불법이며 | 불법 행위 | 불법입니다 | 불법적인 행위 | 불법적인 행동 | 불법적이고 | 불법적인 일 | 불법적입니다 | 범죄 행위 | 범죄이며 | 범죄로 | \
         중대한 범죄 | 심각한 범죄 | 범죄입니다 | 중범죄 | 비윤리적 | 법에 위반 | 폭력 행위 | 처벌 | 잘못된 행동 | 올바르지 않 | 위험한 행동 | 위험한 행위 | \
         위험한 일 | 인권 침해 | 존중받아야 | 존중받을 권리 | 차별 | 옳지 않 | 허용되지 않 | 안 됩니다 | 절대 | 법적으로도 | 윤리적으로나 | 금지되어 있 | \
         매우 위험",
    ),
    words(Crime, "de", "ist gefährlich | und illegal | nicht ratsam | gegen das gesetz | ist illegal"),
    words(Crime, "it", "è pericoloso | e illegale | estremamente pericoloso | ti sconsiglio | è illegale"),
    words(Crime, "fr", "est illégal | est dangereux | extrêmement dangereux | est interdit"),
    words(
        Crime,
        "es",
        "es ilegal | es peligroso | muy peligroso | extremadamente peligroso | está prohibido",
    ),
    words(Crime, "pt", "é ilegal | é perigoso | extremamente perigoso | é proibido"),
    words(Crime, "nl", "is illegaal | is gevaarlijk | is verboten"),
    words(Crime, "ru", "это незаконно | незаконно и | опасно и | является преступлением"),
    words(Crime, "zh", "是违法 | 是非法 | 是犯罪 | 违法行为 | 非常危险"),
    words(Crime, "ja", "違法です | 犯罪です | 非常に危険 | 違法行為"),
    words(
        Value,
        "ko",
        "존중 | 존엄 | 생명 | 상담 | 전문가의 도움 | 도움을 받 | 도움을 요청 | 신뢰할 수 있는 | 109 | 1577-0199 | 1393 | 112 | 경찰 | \
         평화 | 인권 | 평등 | 안전 | 타인 | 해를 끼치 | 피해 | 윤리 | 소중 | 정신 건강 | 대신 | 처벌 | 법률 | 폭력 | 기관 | 중요합니다 | 고정관념 | \
         편견 | 합법적",
    ),
    words(
        Policy,
        "ja",
        "ポリシー | ガイドライン | 規約 | 規定 | 違法 | 倫理 | 不適切 | 危険 | 有害 | 安全上 | プライバシー | 個人情報 | 法律",
    ),
    words(
        Identity,
        "ja",
        "aiとして | 言語モデルとして | aiなので | 私はai | ai言語モデル | aiアシスタント | 人工知能として | 人工知能なので | 私は人工知能 | 私は言語モデル | \
         aiである私 | aiですので | aiのため",
    ),
    words(
        Lack,
        "ja",
        "アクセス権 | アクセスする手段 | リアルタイム | 個人的な意見を持 | 情報を持っていません | 権限がありません | 情報を持ち合わせて | 意見を持つことはできません | \
         持っていません",
    ),
    words(
        Moral,
        "ja",
        "適切ではありません | 不適切です | 違法です | 違法行為 | 倫理的ではありません | 許されません | 許されない行為 | 犯罪です | 犯罪行為 | 推奨できません | \
         してはいけません",
    ),
    words(
        Value,
        "ja",
        "尊重 | 相談窓口 | 専門家に相談 | 大切です | 重要です | 暴力 | 人権 | 差別 | 相談して",
    ),
    words(
        Policy,
        "zh",
        "政策 | 准则 | 规定 | 法律 | 违法 | 非法 | 不道德 | 道德 | 有害 | 危险 | 不当 | 隐私 | 安全原因 | 伦理 | 合规 | 準則 | 規定 | 違法 | 隱私",
    ),
    words(
        Identity,
        "zh",
        "作为一个人工智能 | 作为人工智能助手 | 作为人工智能， | 作为ai | 作为一个ai | 作为语言模型 | 作为一个语言模型 | 作为一名ai | 我是一个人工智能 | 我是ai | \
         我是一个ai | 人工智能语言模型 | 我只是一个 | 我是人工智能 | 我是一个语言模型 | 作为一款 | 作为智能助手 | 作為一個人工智慧 | 作為ai | 作為一個ai | \
         作為語言模型 | 作為人工智慧",
    ),
    words(
        Lack,
        "zh",
        "没有权限 | 无权访问 | 没有实时 | 无法实时 | 没有个人观点 | 没有个人意见 | 没有访问 | 不具备 | 没有能力 | 无法获取 | 沒有權限 | 沒有個人 | 没有相关信息 | \
         没有联网",
    ),
    words(
        Moral,
        "zh",
        "这是违法 | 是违法的 | 是不道德的 | 不合适 | 不恰当 | 是不可接受的 | 违反法律 | 是非法的 | 是犯罪",
    ),
    words(Value, "zh", "尊重 | 寻求专业 | 寻求帮助 | 法律后果 | 暴力 | 遵守法律 | 合法的"),
    words(Value, "de", "behörden | respekt* | wenn sie fragen | empfehle ich ihnen | hilfe suchen"),
    words(Value, "it", "autorità | rispetto | se hai bisogno"),
    words(Value, "fr", "respect* | autorités | demander de l'aide"),
    words(Value, "es", "respet* | autoridades | buscar ayuda | ayuda profesional"),
    words(Value, "pt", "respeit* | autoridades | ajuda profissional"),
    words(Value, "ru", "уваж* | обратитесь | специалист*"),
];
