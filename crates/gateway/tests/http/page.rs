//! The dashboard's first page: for a browser that followed a link, without a script, whatever is on it.

use mainstay_testkit::{Fault, Reply};

use crate::common::{Ask, Front};

const HOSTILE: &str = "<script>alert(1)</script>&\\\"'";

async fn get(front: &Front, path: &str, cookie: Option<&str>) -> reqwest::Response {
    let mut request = front.http.get(front.url(path));
    if let Some(cookie) = cookie {
        request = request.header("cookie", cookie);
    }
    request.send().await.unwrap()
}

/// Follows a new link; the cookie that comes of it.
async fn let_in(front: &Front) -> String {
    let link = front.gateway.dashboard_link().unwrap();
    let path = link.strip_prefix(&front.url("")).unwrap();
    let reply = get(front, path, None).await;
    assert_eq!((reply.status().as_u16(), &reply.headers()["location"]), (303, &"/".parse().unwrap()));
    let cookie = reply.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.contains("; HttpOnly; SameSite=Strict; Path=/"), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

fn check_headers(reply: &reqwest::Response) {
    let header = |name: &str| reply.headers()[name].to_str().unwrap();
    let policy = header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("referrer-policy"), "no-referrer");
    assert_eq!(header("cache-control"), "no-store");
}

#[tokio::test]
async fn without_a_link_nothing_is_shown_and_the_way_in_is() {
    let front = Front::start(&["good"]).await;
    for (path, cookie) in
        [("/", None), ("/", Some("mainstay_1=abc")), ("/?token=abc", None), ("/?token=", None)]
    {
        let reply = get(&front, path, cookie).await;
        assert_eq!(reply.status(), 401, "{path} {cookie:?}");
        assert!(reply.headers().get("set-cookie").is_none());
        check_headers(&reply);
        let page = reply.text().await.unwrap();
        assert!(page.contains("mainstay serve") && page.contains("/admin/link"), "{page}");
        assert!(!page.contains("fake/good") && !page.contains(&front.admin_token()), "{page}");
    }
    let token = front.admin_token();
    let reply = get(&front, &format!("/?token={token}"), None).await;
    assert_eq!(reply.status(), 401, "the admin token has no business in an address");
}

#[tokio::test]
async fn a_link_opens_the_page_once() {
    let front = Front::start(&["good"]).await;
    let link = front.gateway.dashboard_link().unwrap();
    let path = link.strip_prefix(&front.url("")).unwrap().to_owned();
    let looked_at = front.http.head(front.url(&path)).send().await.unwrap();
    assert_eq!(looked_at.status(), 401, "who only looks does not use it up");
    assert_eq!(get(&front, &path, None).await.status(), 303);
    assert_eq!(get(&front, &path, None).await.status(), 401, "used up");
    let (status, made) = front.admin("POST", "/admin/link", None).await;
    assert_eq!(status, 200, "{made}");
    let url = made["url"].as_str().unwrap();
    assert!(url.starts_with(&front.url("/?token=")), "{url}");
    assert_eq!(front.http.get(url).send().await.unwrap().status(), 303);
}

#[tokio::test]
async fn the_cookie_lets_look_and_do_nothing() {
    let front = Front::start(&["good"]).await;
    let cookie = let_in(&front).await;
    let reply = get(&front, "/admin/tiers", Some(&cookie)).await;
    assert_eq!(reply.status(), 401);
    let value = cookie.split_once('=').unwrap().1;
    let reply = front.http.get(front.url("/admin/tiers")).bearer_auth(value).send().await.unwrap();
    assert_eq!(reply.status(), 401);
}

#[tokio::test]
async fn the_page_shows_tiers_calls_money_and_alerts() {
    let front = Front::start(&["limited", "refused", "good"]).await;
    front.provider.on("limited", [Reply::Fault(Fault::RateLimited(300))]);
    front.provider.on("refused", [Reply::Fault(Fault::Status(401))]);
    front.provider.on("good", [Reply::text("The Douro, the Tagus and the Guadiana.")]);
    front.ask(Ask::default()).await;
    let cookie = let_in(&front).await;
    let reply = get(&front, "/", Some(&cookie)).await;
    assert_eq!(reply.status(), 200);
    check_headers(&reply);
    let page = reply.text().await.unwrap();
    for part in [
        "<!DOCTYPE html>",
        "<html lang=\"en\">",
        "Skip to content",
        "fake/limited",
        "rate_limited (HTTP 429)",
        "<td class=\"state cooling\">cooling</td>",
        "min",
        "tier disabled",
        "daily: $0.0",
        "of $5.00",
        "Today: <strong>$0.0",
        "ok, rescued",
        "rate limited (429)",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("<script") && !page.contains("style=") && !page.contains("onclick"), "{page}");
}

#[tokio::test]
async fn an_empty_log_says_what_to_do_next() {
    let front = Front::start(&["good"]).await;
    let cookie = let_in(&front).await;
    let page = get(&front, "/", Some(&cookie)).await.text().await.unwrap();
    assert!(page.contains("Nothing needs your attention.") && page.contains("None yet."), "{page}");
    assert!(page.contains(&format!("base_url=&quot;http://{}/v1&quot;", front.gateway.address())), "{page}");
}

#[tokio::test]
async fn a_chain_without_anybody_says_who_answers() {
    let front = Front::start(&["bad", "last static_fallback = true\n"]).await;
    front.provider.on("bad", [Reply::Fault(Fault::RateLimited(300))]);
    front.provider.on("last", [Reply::text("The Douro, the Tagus and the Guadiana.")]);
    front.ask(Ask::default()).await;
    let cookie = let_in(&front).await;
    let page = get(&front, "/", Some(&cookie)).await.text().await.unwrap();
    assert!(page.contains("the static tier <code>fake/last</code> answers"), "{page}");
}

#[tokio::test]
async fn hostile_names_and_messages_are_escaped() {
    let front = Front::start(&[&format!("fake/{HOSTILE}"), "good"]).await;
    let body = format!("{{\"error\":{{\"message\":\"{HOSTILE}\"}}}}");
    front.provider.otherwise(Reply::http(500, &[], &body));
    front.ask(Ask { headers: vec![("x-request-id", HOSTILE.into())], ..Ask::default() }).await;
    let cookie = let_in(&front).await;
    let page = get(&front, "/", Some(&cookie)).await.text().await.unwrap();
    assert!(!page.contains("<script"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
}

#[tokio::test]
async fn the_style_sheet_is_kept_by_its_name_and_belongs_to_nobody() {
    let front = Front::start(&["good"]).await;
    let page = get(&front, "/", None).await.text().await.unwrap();
    let (_, rest) = page.split_once("href=\"/assets/").unwrap();
    let name = rest.split('"').next().unwrap();
    let reply = get(&front, &format!("/assets/{name}"), None).await;
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.headers()["content-type"], "text/css; charset=utf-8");
    assert!(reply.headers()["cache-control"].to_str().unwrap().contains("immutable"));
    let style = reply.text().await.unwrap();
    assert!(style.contains("color-scheme: light dark") && !style.contains("url("), "{style}");
    assert_eq!(get(&front, "/assets/style-0.css", None).await.status(), 404);
}
