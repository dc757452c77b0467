//! `mainstay calls`: rows of the call log.

use jiff::tz::TimeZone;
use mainstay::{Moment, Quality};
use mainstay_calllog::{CallFilter, CallRow, parse_when};

use crate::args::{CallsArgs, Global};
use crate::exit::Exit;
use crate::{commands, out};

/// Prints the rows that fit, oldest first.
pub(crate) fn run(args: &CallsArgs, global: &Global) -> Result<(), Exit> {
    let zone = TimeZone::system();
    let filter = filter(args, &zone)?;
    let mut rows = commands::open_log(global)?.calls(&filter).map_err(Exit::failed)?;
    rows.sort_by_key(|row| row.id);
    if global.json {
        for row in &rows {
            anstream::println!("{}", serde_json::to_string(&CallRow(row)).map_err(Exit::failed)?);
        }
    } else {
        out::calls(&rows, &zone);
    }
    Ok(())
}

fn filter(args: &CallsArgs, zone: &TimeZone) -> Result<CallFilter, Exit> {
    let moment = |text: &Option<String>| -> Result<Option<Moment>, Exit> {
        text.as_deref().map(|text| parse_when(text, commands::now(), zone)).transpose().map_err(Exit::usage)
    };
    let quality = match args.quality.as_deref() {
        None => None,
        Some(word) => Some(Quality::from_word(word).ok_or_else(|| {
            let known: Vec<&str> = Quality::ALL.iter().map(|quality| quality.word()).collect();
            Exit::usage(format!("--quality {word}: there is no such class; there are {}", known.join(", ")))
        })?),
    };
    Ok(CallFilter {
        user: args.user.clone(),
        session: args.session.clone(),
        request: args.request.clone(),
        label: args.label.clone(),
        tier: args.tier.clone(),
        quality,
        since: moment(&args.since)?,
        until: moment(&args.until)?,
        limit: Some(args.limit),
        ..CallFilter::default()
    })
}
