//! HTTP statuses.

use mainstay_testkit::Fault;

use crate::expect::Expect;
use crate::row::Row;

pub(super) fn rows() -> Vec<Row> {
    let status = |name, what, status, expect| Row::new(name, what, Fault::Status(status), expect);
    vec![
        status("400", "The provider finds the request wrong.", 400, Expect::invalid(400, "invalid_request")),
        status("401", "The key is wrong.", 401, Expect::misconfigured("auth")),
        status("402", "The credits are used up.", 402, Expect::out_of_money()),
        status("403", "The account may not use this model.", 403, Expect::misconfigured("permission")),
        Row::new(
            "404, the model",
            "The model does not exist there.",
            Fault::UnknownModel,
            Expect::misconfigured("not_found"),
        ),
        status(
            "404, something else",
            "Something is not there, and it is not said what.",
            404,
            Expect::misconfigured("not_found"),
        ),
        status("408", "The provider waited too long for the request.", 408, Expect::outage("server_error")),
        status("409", "A conflict.", 409, Expect::outage("server_error")),
        status("413", "The request is too large.", 413, Expect::too_large()),
        status("422", "The request cannot be processed.", 422, Expect::invalid(422, "invalid_request")),
        status("500", "An error of the server's.", 500, Expect::outage("server_error")),
        status("502", "A bad gateway.", 502, Expect::outage("server_error")),
        status("503", "The service is not available.", 503, Expect::outage("overloaded")),
        status("504", "A gateway's upstream did not answer in time.", 504, Expect::outage("server_error")),
        status("529", "Overloaded.", 529, Expect::outage("overloaded")),
    ]
}
