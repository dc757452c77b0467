//! Who asks: its dialect, and the ids that every answer to it carries.

use axum::body::Body;
use axum::http::{HeaderMap, Response};
use mainstay_dialects::{Inbound, anthropic, openai_chat};

use crate::app::App;
use crate::headers;
use crate::problem::Told;

/// The caller of one request.
pub(crate) struct Caller {
    pub(crate) face: &'static dyn Inbound,
    pub(crate) request_id: String,
    /// The headers of its answer, as far as they are known.
    pub(crate) headers: HeaderMap,
}

impl Caller {
    /// A caller of that dialect, with these request headers.
    pub(crate) fn new(app: &App, face: &'static dyn Inbound, fields: &HeaderMap) -> Self {
        let request_id = app.client.engine().new_request_id();
        let headers = headers::ids(&request_id, fields, face.dialect());
        Self { face, request_id, headers }
    }

    /// A caller whose dialect its path shows, even where no route is; both SDKs ask for models at the same
    /// path, and only Anthropic's sends a version.
    pub(crate) fn at(app: &App, path: &str, fields: &HeaderMap) -> Self {
        let is_anthropic = path.contains("/messages") || fields.contains_key("anthropic-version");
        let face: &'static dyn Inbound = if is_anthropic { &anthropic::Face } else { &openai_chat::Face };
        Self::new(app, face, fields)
    }

    /// Tells an error that came before anybody was asked.
    pub(crate) fn refuse(mut self, told: Told) -> Response<Body> {
        headers::nobody_asked(&mut self.headers);
        self.tell(told)
    }

    /// Tells an error.
    pub(crate) fn tell(self, told: Told) -> Response<Body> {
        told.with_request_id(&self.request_id).into_response(self.face, self.headers)
    }
}
