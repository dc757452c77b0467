//! `mainstay why`: the story of one request.

use jiff::tz::TimeZone;
use mainstay_calllog::story;

use crate::args::{Global, WhyArgs};
use crate::commands;
use crate::exit::Exit;

/// Tells it.
pub(crate) fn run(args: &WhyArgs, global: &Global) -> Result<(), Exit> {
    let log = commands::open_log(global)?;
    let rows = if args.request == "last" {
        log.last_interesting().map_err(Exit::failed)?
    } else {
        log.request(&args.request).map_err(Exit::failed)?
    };
    if rows.is_empty() {
        return Err(Exit::failed(if args.request == "last" {
            "the log holds no request that was not answered well at the first try".to_owned()
        } else {
            format!("the log holds no request {}; `mainstay calls` lists the newest", args.request)
        }));
    }
    let story = story(&rows, &TimeZone::system()).seen_from(commands::now());
    if global.json {
        anstream::println!("{}", serde_json::to_string(&story).map_err(Exit::failed)?);
    } else {
        anstream::println!("{}", story.to_string().trim_end());
    }
    Ok(())
}
