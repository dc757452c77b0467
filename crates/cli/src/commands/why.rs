//! `mainstay why`: the story of one request.

use jiff::tz::TimeZone;
use mainstay_calllog::story;

use crate::args::{Global, WhyArgs};
use crate::exit::Exit;
use crate::{out, settings};

/// Tells it.
pub(crate) fn run(args: &WhyArgs, global: &Global) -> Result<(), Exit> {
    let log = settings::open_log(global)?;
    let rows = if args.request == "last" { log.last_interesting()? } else { log.request(&args.request)? };
    if rows.is_empty() {
        return Err(Exit::failed(if args.request == "last" {
            "every request in the log was answered well at the first try; `mainstay calls` lists them"
                .to_owned()
        } else {
            format!("the log holds no request {}; `mainstay calls` lists the newest", args.request)
        }));
    }
    let story = story(&rows, &TimeZone::system()).seen_from(settings::now());
    if global.json { out::json(&story) } else { out::line(out::clean(story.to_string().trim_end())) }
}
