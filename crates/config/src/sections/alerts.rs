//! `[alerts]`: where alerts are posted (behaviour 9.4a).

use secrecy::{ExposeSecret, SecretString};

use crate::report::{Fault, Report};
use crate::surroundings::{Found, Surroundings};
use crate::table::Section;
use crate::variables;

/// Where alerts go beside the log, the metrics and the dashboard.
#[derive(Clone, Debug, Default)]
pub struct Alerts {
    /// The address of a webhook; whoever knows it can post there, so it is a secret.
    pub webhook: Option<SecretString>,
}

/// Reads the section.
pub(crate) fn read(
    mut section: Section<'_, '_>,
    report: &mut Report<'_>,
    around: &Surroundings<'_>,
) -> Alerts {
    let typed = section.text(report, "webhook_env").and_then(|typed| variables::named(report, typed));
    let name = typed.as_ref().map_or("MAINSTAY_ALERT_WEBHOOK", |typed| typed.value.as_str());
    let at = typed.as_ref().map_or_else(|| section.at.clone(), |typed| typed.at.clone());
    let webhook = match around.secret(name) {
        Found::Value(address) => {
            report.keep_secret(&address);
            let is_web =
                ["https://", "http://"].iter().any(|scheme| address.expose_secret().starts_with(scheme));
            if !is_web {
                // Where the file does not ask for the webhook, a stray variable stops nothing.
                let fault = if typed.is_some() { Fault::error } else { Fault::warning };
                report.push(
                    fault("bad_address", &at, format!("the content of {name} is not a web address"))
                        .expected("an address that begins with https://"),
                );
            }
            is_web.then_some(address)
        }
        Found::Missing | Found::Blank | Found::Unusable => {
            if typed.is_some() {
                report.push(
                    Fault::warning(
                        "missing_variable",
                        &at,
                        format!("{name} holds no address; no alert is posted"),
                    )
                    .fix(format!("set {name}, or take the line out")),
                );
            }
            None
        }
    };
    section.close(report);
    Alerts { webhook }
}
