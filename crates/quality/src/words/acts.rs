//! What an assistant does for people, and how it points at what was asked. Data only.
//!
//! An inability counts fully only where one of these follows: "I can't help" against "I can't swim".

use super::Sense::{Act, Object};
use super::{Words, words};

pub(crate) static LIST: &[Words] = &[
    words(
        Act,
        "en",
        "help | helping | assist* | provid* | answer | answering | respond* | fulfil* | comply | \
         complying | support | supporting | write | writing | creat* | generat* | produc* | share | \
         sharing | discuss* | give | giving | offer | offering | engag* | participat* | continue | \
         continuing | process | processed | complete | satisfy | accommodat* | advis* | suggest* | \
         promot* | encourag* | condon* | endors* | disclos* | reveal* | brows* | view | viewing | \
         perform* | execut* | draft | drafting | translat* | describ* | explain* | guid* | walk you | \
         outlin* | solve | locat* | predict* | facilitat* | express* | speculat* | comment* | proceed* | \
         show you | teach* | instruct* | role-play* | roleplay* | pretend* | entertain* | contribut* | \
         diagnos* | identif* | look up | talk about | speak about | compos* | design* | develop* | \
         in good conscience | open | access* | interact* | recommend* | do so | do this | do that | \
         go along | aid | aiding | enabl* | assum* | take part | make | making | tell you | send | \
         sending | physically | directly | see your | hear | watch | includ* | list | compil* | \
         go into | weigh in | take a position | take sides | grant | honor | honour | carry out | \
         act on | play | be a part | be part | be involved | justify* | defend* | advocat* | glorif* | \
         craft | crafting | supply* | deliver* | verif* | confirm* | determin* | pass judgment | run | \
         running | to do | conduct* | knowingly | collaborat* | search for | portray* | depict* | \
         elaborat* | imperson* | simulat* | compar* | rate | rank",
    ),
    words(
        Object,
        "en",
        "that | this | such | with that | with this | your request | this request | that request | \
         the request | your question | this question | this topic | that topic | the information | \
         what you | those | these | here | anything | it",
    ),
    words(
        Act,
        "de",
        "helfen | weiterhelfen | behilflich | unterstützen | unterstütze | geben | beantworten | \
         erfüllen | bereitstellen | anbieten | schreiben | erstellen | liefern | diskutieren | teilen | \
         nachkommen | ausführen | äußern | erklären | generieren | verfassen | weiter | weitergeben | \
         auskunft | in der lage | dienen | besprechen | sprechen | anleitung* | informationen | \
         zugreifen | öffnen | nennen | beraten | mitmachen | mitwirken | empfehlen | befolgen | \
         verarbeiten | fortsetzen | eingehen | tun | machen | entsprechen | beteiligen | bei diesem | \
         dabei | damit",
    ),
    words(
        Object,
        "de",
        "diese anfrage | dieser anfrage | diesem thema | dieses thema | dieser bitte | deine anfrage",
    ),
    words(
        Act,
        "nl",
        "helpen | help | geven | uitvoeren | beantwoorden | verstrekken | schrijven | maken | delen | \
         bespreken | voldoen | ondersteunen | leveren | genereren | ingaan | op in | informatie | \
         instructies | meewerken | openen | toegang | antwoorden | antwoord | uitleggen | assisteren | \
         bijstaan | van dienst | doen | verzoek | in staat",
    ),
    words(
        Act,
        "sv",
        "hjälpa | ge | svara | tillhandahålla | skriva | skapa | dela | diskutera | uppfylla | stödja | \
         utföra | assistera | bistå | öppna | instruktioner | information | göra | delta | generera | \
         förklara | tillgång | uttala | prata om",
    ),
    words(Act, "da", "hjælpe | give | svare | skrive | levere | gøre | dele | hjelpe | gi"),
    words(Act, "fi", "auttaa | antaa | vastata | kirjoittaa | tarjota | toteuttaa"),
    words(
        Act,
        "fr",
        "aider | assister | fournir | répondre | donner | écrire | créer | générer | partager | \
         discuter | satisfaire | accéder | traiter | effectuer | exécuter | rédiger | participer | \
         parler | en parler | soutenir | produire | expliquer | proposer | offrir | ouvrir | consulter | \
         faire | vous aider | t'aider | donner suite | commenter | exprimer | divulguer | encourager | \
         accompagner | prendre position | conseiller de | continuer | poursuivre | m'exprimer | \
         aborder | révéler | accéder à | d'accès",
    ),
    words(
        Act,
        "es",
        "ayudar* | asistir* | proporcionar* | responder* | dar* | darte | darle | escribir* | crear | \
         generar | compartir* | discutir | cumplir | facilitar* | hablar | opinar | abrir | acceder | \
         participar | apoyar | ofrecer* | brindar* | realizar | producir | redactar | explicar* | \
         satisfacer | atender | procesar | hacer | continuar | contestar* | revelar | comentar | \
         fomentar | promover | aconsejar | mostrar* | decirte | decirle | ejecutar | colaborar | \
         describir | entrar en | recomendar",
    ),
    words(
        Act,
        "pt",
        "ajudar | ajudá-* | ajudar-* | auxiliar | fornecer | responder | dar | escrever | criar | \
         gerar | compartilhar | partilhar | discutir | cumprir | atender | falar | abrir | acessar | \
         aceder | participar | apoiar | oferecer | realizar | fazer | produzir | redigir | explicar | \
         processar | satisfazer | continuar | revelar | opinar | comentar | divulgar | prestar | \
         colaborar | executar | te ajudar | descrever | incentivar | promover | recomendar | dizer",
    ),
    words(
        Act,
        "it",
        "aiutar* | fornir* | risponder* | dare | darti | darle | scriver* | crear* | generare | \
         condivider* | discuter* | soddisfare | assister* | parlare | parlarne | aprire | accedere | \
         partecipare | supportare | offrir* | eseguire | fare | farlo | produrre | redigere | spiegar* | \
         elaborare | esaudire | continuare | rivelare | commentare | esprimer* | dire | dirti | \
         consigliar* | promuovere | collaborare | procedere | accogliere | mostrarti | descrivere",
    ),
    words(
        Act,
        "pl",
        "pomóc | pomagać | pomocy | udzielić | odpowiedzieć | odpowiadać | napisać | podać | spełnić | \
         dostarczyć | przekazać | stworzyć | tworzyć | wygenerować | rozmawiać | dyskutować | omawiać | \
         wykonać | otworzyć | udostępnić | wspierać | doradzać | zrealizować | przetworzyć | \
         uczestniczyć | kontynuować | wyjaśnić | wypowiadać | zrobić | przygotować | udzielać | opisać",
    ),
    words(
        Act,
        "cs",
        "pomoci | pomoct | poskytnout | odpovědět | napsat | vytvořit | sdílet | splnit | vyhovět | \
         diskutovat | dát | otevřít | podpořit | poradit | provést | udělat | vysvětlit | psát | \
         mluvit | poskytovat",
    ),
    words(
        Act,
        "ru",
        "помочь | помогать | помощь | предоставить | предоставлять | ответить | отвечать | написать | \
         писать | дать | давать | создать | создавать | выполнить | выполнять | обсуждать | обсудить | \
         поделиться | рассказать | рассказывать | сделать | открыть | объяснить | участвовать | \
         поддержать | поддерживать | говорить | комментировать | сгенерировать | продолжить | \
         удовлетворить | раскрывать | раскрыть | содействовать | оказать | описать | составить | \
         советовать | посоветовать | выражать | это сделать",
    ),
    words(
        Act,
        "uk",
        "допомогти | допомагати | надати | надавати | відповісти | відповідати | написати | дати | \
         створити | виконати | обговорювати | поділитися | розповісти | зробити | відкрити | пояснити | \
         брати участь | говорити | коментувати | писати",
    ),
    words(
        Act,
        "ar",
        "مساعد* | تقديم | الإجابة | الرد | كتابة | إنشاء | توفير | تنفيذ | مشاركة | مناقشة | تلبية | \
         إعطاء | فتح | الوصول | شرح | دعم | تزويد* | المساهمة | المشاركة | الحديث | الكشف | أن أقدم | \
         أن أساعد | أن أجيب | التحدث | القيام | مساعدت | إجابت | الاستجابة | التعليق | فعل",
    ),
    words(
        Act,
        "he",
        "לעזור | לסייע | לספק | לענות | לכתוב | לתת | ליצור | לשתף | לדון | למלא | לבצע | לפתוח | לגשת | \
         להשיב | להסביר | לדבר | לעשות | להמליץ",
    ),
    words(
        Act,
        "vi",
        "giúp | hỗ trợ | cung cấp | trả lời | viết | tạo | thực hiện | chia sẻ | thảo luận | đáp ứng | \
         mở | truy cập | hướng dẫn | đưa ra | tham gia | tiết lộ | bình luận | giải thích | làm điều | \
         nói về",
    ),
    words(
        Act,
        "id",
        "membantu | memberikan | menjawab | menulis | membuat | menyediakan | memenuhi | membahas | \
         mendukung | melakukan | membagikan | membuka | mengakses | menjelaskan | memproses | \
         melanjutkan | memberi | mendiskusikan | menghasilkan | menyarankan",
    ),
    words(
        Act,
        "th",
        "ช่วย | ให้ข้อมูล | ตอบ | เขียน | สร้าง | ให้คำแนะนำ | ดำเนินการ | พูดคุย | เปิด | เข้าถึง | \
         ทำตาม | ให้",
    ),
    words(
        Act,
        "zh",
        "回答 | 提供 | 满足 | 协助 | 帮助 | 讨论 | 生成 | 完成 | 处理 | 访问 | 帮 | 写 | 撰写 | 支持 | 参与 | 透露 | 告诉 | 给出 | 执行 | \
         创作 | 继续 | 滿足 | 協助 | 幫助 | 討論 | 幫 | 寫",
    ),
];
