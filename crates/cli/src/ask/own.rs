//! Asks through the client of this process.

use mainstay::{
    Attempt, CallOptions, ChatResponse, Client, EmbedResponse, GaveUp, Quality, ReplyEvent, Route,
    StreamItem, UnknownModel,
};

use super::{Failed, Question, Replied, trail_line};
use crate::exit::Exit;

pub(super) async fn whole(client: &Client, question: &Question) -> Result<Replied, Failed> {
    let (route, options) = route(client, question)?;
    let answered = client.chat_on(route, question.request(), options).await;
    answered.map(|answer| replied(&answer)).map_err(|gave_up| failed(&gave_up))
}

pub(super) async fn streamed(
    client: &Client,
    question: &Question,
    show: &mut dyn FnMut(&str) -> Result<(), Exit>,
) -> Result<Result<Replied, Failed>, Exit> {
    let (route, options) = match route(client, question) {
        Ok(found) => found,
        Err(failure) => return Ok(Err(failure)),
    };
    let mut stream = client.stream_on(route, question.request(), options);
    while let Some(item) = stream.next().await {
        match item {
            Ok(StreamItem::Event(ReplyEvent::Text(text) | ReplyEvent::Refusal(text))) => show(&text)?,
            Ok(StreamItem::Event(_) | StreamItem::Open(_)) => {}
            Ok(StreamItem::Done(answer)) => return Ok(Ok(replied(&answer))),
            Err(gave_up) => return Ok(Err(failed(&gave_up))),
        }
    }
    Ok(Err(Failed { message: "the answer broke off".to_owned(), ..Failed::default() }))
}

pub(super) async fn vector(client: &Client, question: &Question) -> Result<Replied, Failed> {
    let route = client.resolve_embedding(question.name.as_deref()).map_err(unknown)?;
    let embedded = client.embed_on(route, question.embed_request(), options(question)).await;
    embedded.map(|response| with_vectors(&response)).map_err(|gave_up| failed(&gave_up))
}

fn route(client: &Client, question: &Question) -> Result<(Route, CallOptions), Failed> {
    let route = client.resolve(question.name.as_deref()).map_err(unknown)?;
    Ok((route, options(question)))
}

fn options(question: &Question) -> CallOptions {
    CallOptions { deadline: question.deadline, ..CallOptions::default() }
}

#[expect(clippy::needless_pass_by_value, reason = "it is what becomes of an error")]
fn unknown(unknown: UnknownModel) -> Failed {
    Failed { message: unknown.to_string(), is_usage: true, ..Failed::default() }
}

/// Vectors were checked, or they would not be here.
fn with_vectors(response: &EmbedResponse) -> Replied {
    Replied {
        request_id: response.request_id.clone(),
        tier: response.target.to_string(),
        model: response.model.clone(),
        quality: Quality::Ok.word().to_owned(),
        prompt_tokens: Some(response.usage.prompt),
        cost: response.cost.known(),
        latency_ms: response.latency_ms,
        attempts: response.upstream_calls(),
        trail: response.attempts.iter().map(line).collect(),
        ..Replied::default()
    }
}

fn replied(answer: &ChatResponse) -> Replied {
    Replied {
        request_id: answer.request_id.clone(),
        text: answer.text.clone(),
        refusal: answer.refusal.clone(),
        tier: answer.target.to_string(),
        model: answer.model.clone(),
        quality: answer.quality.quality.word().to_owned(),
        finish_reason: Some(answer.finish_reason.word().to_owned()),
        prompt_tokens: Some(answer.usage.prompt),
        completion_tokens: Some(answer.usage.completion),
        cost: answer.cost.known(),
        latency_ms: answer.latency_ms,
        attempts: answer.upstream_calls(),
        trail: answer.attempts.iter().map(line).collect(),
    }
}

fn failed(gave_up: &GaveUp) -> Failed {
    Failed {
        message: gave_up.to_string(),
        is_usage: false,
        request_id: Some(gave_up.request_id.clone()),
        trail: gave_up.attempts.iter().map(line).collect(),
    }
}

fn line(attempt: &Attempt) -> String {
    let verdict = match (attempt.quality, attempt.error) {
        (_, Some(kind)) => kind.word(),
        (Some(quality), None) => quality.word(),
        (None, None) => attempt.outcome.word(),
    };
    let tier = attempt.target.to_string();
    trail_line(attempt.number, &tier, verdict, attempt.latency_ms, attempt.cost.known())
}
