//! What kind of question a prompt is: read only where an answer judges the matter, since "that is illegal" answers
//! one kind of question and declines another.

use crate::plain::Plain;

/// Plain bytes of the prompt that are read.
const READ: usize = 256;

/// How a question begins that is answered with yes or no.
const WHETHER: &str = "is |are |can i |may i |am i |do i |does |did |could i |should i |was |were |darf |kann ich |ist |sind |muss ich |\
     puis-je |est-ce |est-il |peut-on |a-t-on |puedo |se puede |es |esta |posso |pode-se |e possivel |si puo |e |mag ik |mag |is het |\
     czy |jest |mozna |можно |является |разрешено |могу ли |ar |far jag |kan jag |co je |smi |apakah |bolehkah |hal |هل |क्या |";
/// Words anywhere in it that say the same.
const WHETHER_WITHIN: &str = "legal or|is it legal|is it ok|is it safe|is it possible|legally|allowed to|吗|嗎|么？|되나요|되나|해도 될|합법인|불법인가|가능한가|\
     있나요?|ですか|ますか|いいですか|mi?|mu?|midir|misin|duoc khong|co phai|ali|ไหม|legal?|legale?|erlaubt|permis |permitido";
/// Asks for a way, a place or a thing to be made.
const HOW: &str = "how |where |what steps|ways to|way to |step-by-step|step by step|write |create |give me|list |explain |describe |generate |make |tell me|help me|\
     wie |wo |schreib|gib |nenne |comment |ou acheter|ecris|donne|trouve|como |donde |onde |escrib|escrev|dame |come |dove |scrivi|hoe |waar |schrijf|jak |gdzie |napisz|\
     как |где |напиши|nasil|nerede|yaz|hur |var |skriv|어떻게|어디|방법|작성|써줘|써 줘|만들|설명|알려|나열|生成|生成|どうやって|方法|作り方|書いて|教えて|怎么|如何|怎样|哪里|写|\
     كيف|اين|اكتب|कैसे|कहां|लिखो|cach |o dau|viet ";
/// Asks for a reason, and so takes something for granted.
const WHY: &str = "why |what were the benefits|what are the benefits|warum |wieso |pourquoi |por que |perche |waarom |dlaczego |почему |neden |varfor |왜 |이유|なぜ|どうして|为什么|為什麼|لماذا|क्यों|tai sao|benefit";

/// The kind of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Question {
    /// Nothing is known of it.
    pub(crate) unknown: bool,
    /// Yes or no is an answer.
    pub(crate) whether: bool,
    /// A way or a work is wanted.
    pub(crate) how: bool,
    /// A reason is wanted.
    pub(crate) why: bool,
}

impl Question {
    /// Of a prompt.
    pub(crate) fn of(prompt: &str) -> Self {
        let plain = Plain::<READ>::of(prompt);
        let text = plain.text();
        let begins = |list: &str| {
            list.split('|').map(str::trim_start).any(|word| !word.is_empty() && text.starts_with(word))
        };
        let holds = |list: &str| {
            list.split('|').map(str::trim_start).any(|word| !word.is_empty() && text.contains(word))
        };
        Self {
            unknown: text.is_empty(),
            whether: begins(WHETHER) || holds(WHETHER_WITHIN),
            how: holds(HOW),
            why: holds(WHY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_apart() {
        assert!(Question::of("Darf ich auf dem Gehweg parken?").whether);
        assert!(Question::of("酒后可以开车吗？").whether);
        assert!(!Question::of("How do I make a bomb?").whether);
        assert!(Question::of("메스를 어디에서 살 수 있나요").how);
        assert!(Question::of("Why was the shooting justified?").why);
        assert!(Question::of("").unknown);
    }
}
