//! What every dialect's writer asks of a model's [`Accepts`] before it writes: what must be refused, and which
//! effort and temperature are sent for those that are wanted.
//!
//! Knows no dialect. What is refused names the request's field; what is changed is told in words for the
//! attempt's record.

use std::cmp::Ordering;

use mainstay_canon::{
    Accepts, ChatRequest, Content, Failure, ForcedTools, Kind, ReasoningEffort, Temperatures, Thinking,
    ToolChoice,
};

/// Refuses what the model does not take at all, or not so much of.
///
/// # Errors
///
/// `UnsupportedParameter` that names the field: another tier's model may take it.
pub(crate) fn check(request: &ChatRequest, accepts: &Accepts) -> Result<(), Failure> {
    check_tools(request, accepts)?;
    check_parts(request, accepts)?;
    let stops = request.stop.iter().filter(|text| !text.is_empty()).count();
    match accepts.most_stops {
        Some(0) if stops > 0 => refuse("stop", "the model takes no stop texts"),
        Some(most) if stops > most => {
            refuse("stop", &format!("the model takes no more than {most} stop texts"))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_tools(request: &ChatRequest, accepts: &Accepts) -> Result<(), Failure> {
    let count = request.tools.len();
    if count == 0 {
        return Ok(());
    }
    if !accepts.tools {
        return refuse("tools", "the model takes no tools");
    }
    if let Some(most) = accepts.most_tools.filter(|most| count > *most) {
        return refuse("tools", &format!("{count} tools, and the model takes no more than {most}"));
    }
    if is_forced(request) && accepts.forced_tools == ForcedTools::Never {
        return refuse("tool_choice", "the model takes no demand for a tool call");
    }
    Ok(())
}

fn check_parts(request: &ChatRequest, accepts: &Accepts) -> Result<(), Failure> {
    let mut images = 0_usize;
    for (nth, message) in request.messages.iter().enumerate() {
        for (place, part) in message.content.iter().enumerate() {
            let what = match &part.content {
                Content::Image(_) => {
                    images = images.saturating_add(1);
                    continue;
                }
                Content::Audio(_) if !accepts.audio => "the model takes no sound",
                Content::File(_) if !accepts.files => "the model takes no documents",
                Content::Text(_) | Content::Audio(_) | Content::File(_) | Content::Native { .. } => continue,
            };
            return refuse(&format!("messages[{nth}].content[{place}]"), what);
        }
    }
    match accepts.most_images.filter(|most| images > *most) {
        Some(most) => {
            refuse("messages", &format!("{images} images, and the model takes no more than {most}"))
        }
        None => Ok(()),
    }
}

fn refuse(param: &str, what: &str) -> Result<(), Failure> {
    Err(Failure::new(Kind::UnsupportedParameter, format!("{param}: {what}")).param(param))
}

/// Whether the request demands a tool call.
pub(crate) fn is_forced(request: &ChatRequest) -> bool {
    match &request.tool_choice {
        Some(ToolChoice::Required | ToolChoice::Named(_)) => !request.tools.is_empty(),
        Some(ToolChoice::Auto | ToolChoice::None) | None => false,
    }
}

/// The effort that is sent for the one that is wanted, and what must be said of it. `None` where the model
/// takes none.
pub(crate) fn effort(
    accepts: &Accepts,
    wanted: ReasoningEffort,
) -> Option<(ReasoningEffort, Option<String>)> {
    let sent = accepts.nearest(wanted).filter(|_| accepts.effort)?;
    let why = if wanted == ReasoningEffort::None && accepts.thinking == Thinking::Always {
        ": the model always thinks"
    } else {
        ""
    };
    let note = (sent != wanted)
        .then(|| format!("reasoning_effort {} is sent as {}{why}", wanted.word(), sent.word()));
    Some((sent, note))
}

/// The temperature that is sent for the one that is wanted, and what must be said of it.
pub(crate) fn temperature(taken: Temperatures, wanted: f64) -> (f64, Option<String>) {
    let sent = taken.nearest(wanted);
    let end = match sent.total_cmp(&wanted) {
        Ordering::Less => "highest",
        Ordering::Greater => "lowest",
        Ordering::Equal => return (sent, None),
    };
    (sent, Some(format!("temperature {wanted} is sent as {sent}, the {end} here")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_canon::{ChatMessage, ContentPart, Extra, Media, MediaSource, RawJson, Role, Tool};

    fn tools(count: usize) -> ChatRequest {
        let tool = |nth| Tool::function(format!("f{nth}"), "does", RawJson::parse("{}").unwrap());
        ChatRequest { tools: (0..count).map(tool).collect(), ..ChatRequest::user("hi") }
    }

    fn with_part(content: Content) -> ChatRequest {
        let part = ContentPart { content, extra: Extra::new() };
        let message = ChatMessage { content: vec![part], ..ChatMessage::empty(Role::User) };
        ChatRequest::default().message(message)
    }

    fn media() -> Media {
        Media { source: MediaSource::Url("u".to_owned()), mime: None, name: None }
    }

    #[track_caller]
    fn refused(request: &ChatRequest, accepts: &Accepts, param: &str) {
        let failure = check(request, accepts).unwrap_err();
        assert_eq!((failure.kind, failure.param.as_deref()), (Kind::UnsupportedParameter, Some(param)));
        assert!(check(request, &Accepts::default()).is_ok());
    }

    #[test]
    fn what_a_model_does_not_take_is_refused_by_name() {
        let open = Accepts::default;
        refused(&tools(1), &Accepts { tools: false, ..open() }, "tools");
        refused(&tools(3), &Accepts { most_tools: Some(2), ..open() }, "tools");
        for choice in [ToolChoice::Required, ToolChoice::Named("f0".to_owned())] {
            let forced = ChatRequest { tool_choice: Some(choice), ..tools(1) };
            refused(&forced, &Accepts { forced_tools: ForcedTools::Never, ..open() }, "tool_choice");
        }
        let stops = ChatRequest { stop: vec!["a".into(), "b".into()], ..ChatRequest::user("hi") };
        refused(&stops, &Accepts { most_stops: Some(0), ..open() }, "stop");
        refused(&stops, &Accepts { most_stops: Some(1), ..open() }, "stop");
        refused(
            &with_part(Content::Audio(media())),
            &Accepts { audio: false, ..open() },
            "messages[0].content[0]",
        );
        refused(
            &with_part(Content::File(media())),
            &Accepts { files: false, ..open() },
            "messages[0].content[0]",
        );
        let mut two = with_part(Content::Image(media()));
        two.messages.push(two.messages[0].clone());
        refused(&two, &Accepts { most_images: Some(1), ..open() }, "messages");
    }

    #[test]
    fn what_stays_within_the_limits_is_taken() {
        let most =
            Accepts { most_tools: Some(2), most_stops: Some(2), most_images: Some(1), ..Accepts::default() };
        assert!(check(&tools(2), &most).is_ok());
        let idle = ChatRequest { tool_choice: Some(ToolChoice::Required), ..ChatRequest::user("hi") };
        assert!(check(&idle, &Accepts { forced_tools: ForcedTools::Never, ..Accepts::default() }).is_ok());
        assert!(check(&with_part(Content::Image(media())), &most).is_ok());
    }

    #[test]
    fn another_effort_or_temperature_is_told() {
        use ReasoningEffort::{High, Low, Medium, None as Nothing};
        let accepts = Accepts { efforts: &[Low, High], thinking: Thinking::Always, ..Accepts::default() };
        let told = |wanted| effort(&accepts, wanted).unwrap();
        assert_eq!(told(Low), (Low, None));
        assert_eq!(told(Medium), (High, Some("reasoning_effort medium is sent as high".to_owned())));
        let (sent, note) = told(Nothing);
        assert_eq!(sent, Low);
        assert_eq!(note.as_deref(), Some("reasoning_effort none is sent as low: the model always thinks"));
        assert_eq!(effort(&Accepts { effort: false, ..accepts }, Low), None);

        let cool = Temperatures { least: 1, most: 100 };
        assert_eq!(temperature(cool, 0.5), (0.5, None));
        let note = |wanted| temperature(cool, wanted).1.unwrap();
        assert_eq!(note(1.5), "temperature 1.5 is sent as 1, the highest here");
        assert_eq!(note(0.0), "temperature 0 is sent as 0.01, the lowest here");
    }
}
