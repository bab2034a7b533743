//! Connections that come about and those that do not, each with its reason.

use std::io::{Read, Write};
use std::net::TcpListener;

use tokio::runtime::{Builder, Runtime};
use tonic::Request;

use super::*;
use crate::v1::ListRequest;
use crate::v1::jobs_client::JobsClient;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn target(url: &str) -> Target {
    Target { url: url.parse().expect("an address"), token: None, tls_ca: None }
}

/// Address of a server that says `answer` to whoever connects, and hangs up.
fn server(answer: &'static [u8]) -> Target {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut asked = [0; 24];
            // Who hangs up first does not matter.
            let _ = stream.read_exact(&mut asked).and_then(|()| stream.write_all(answer));
        }
    });
    target(&address.to_string())
}

/// Why there is no connection, or no answer to the first call.
fn fault_of(target: &Target) -> ConnectFault {
    let error = runtime().block_on(async {
        let connection = match connect(target).await {
            Ok(connection) => connection,
            Err(error) => return error,
        };
        let status = JobsClient::new(connection).list(Request::new(ListRequest {})).await.expect_err("no coordinator");
        ConnectError::of_status(target, Duration::ZERO, &status).unwrap_or_else(|| panic!("{status:?}"))
    });
    assert!(error.to_string().contains(&target.url.to_string()), "{error}");
    error.fault
}

#[test]
fn a_port_on_which_nothing_listens() {
    let free = TcpListener::bind("127.0.0.1:0").expect("bound").local_addr().expect("an address");
    let target = target(&free.to_string());
    assert_eq!(fault_of(&target), ConnectFault::Refused);
    let error = runtime().block_on(connect(&target)).expect_err("refused").to_string();
    assert!(error.starts_with(&format!("no connection to http://{free}, after 0.")), "{error}");
}

#[test]
fn a_name_that_stands_for_nothing() {
    assert_eq!(fault_of(&target("no-such-host.invalid")), ConnectFault::NoSuchHost);
}

#[test]
fn a_web_server_is_no_coordinator() {
    let page = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(fault_of(&server(page)), ConnectFault::NotAntichain);
}

#[test]
fn tls_needs_somebody_to_vouch() {
    let mut target = target("https://127.0.0.1:1");
    assert!(matches!(fault_of(&target), ConnectFault::Authority(_)));
    target.tls_ca = Some("certificate".into());
    assert!(matches!(fault_of(&target), ConnectFault::Authority(_)));
}

#[test]
fn tls_with_a_server_that_speaks_none() {
    let plain = server(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let url = CoordinatorUrl::new(true, plain.url.host(), plain.url.port());
    let target = Target { url, token: None, tls_ca: Some(AUTHORITY.to_owned()) };
    let fault = fault_of(&target);
    assert!(matches!(fault, ConnectFault::Tls(_)), "{fault:?}");
}

#[test]
fn a_status_about_the_token_or_the_call() {
    let mut target = target("localhost");
    let fault = |target: &Target, status: &Status| {
        ConnectError::of_status(target, Duration::ZERO, status).map(|error| error.fault)
    };
    let status = Status::unauthenticated("no token");
    assert_eq!(fault(&target, &status), Some(ConnectFault::Token { shown: false }));
    target.token = Some(Token::random().expect("random"));
    assert_eq!(fault(&target, &status), Some(ConnectFault::Token { shown: true }));
    assert_eq!(fault(&target, &Status::not_found("no such job")), None);
    assert_eq!(fault(&target, &Status::unavailable("shutting down")), None, "the coordinator says so itself");
}

/// An authority that vouches for nobody here.
const AUTHORITY: &str = "\
-----BEGIN CERTIFICATE-----
MIIBijCCATGgAwIBAgIUZ5IckZ1NPHkdzBTqa2742D6otHkwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPQW50aWNoYWluIHRlc3RzMCAXDTI2MTEzMDAyNTUxOFoYDzIx
MjYxMTA2MDI1NTE4WjAaMRgwFgYDVQQDDA9BbnRpY2hhaW4gdGVzdHMwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAQrunKk+jCRWgorYgL230+Knk/erlH1dCTmD9s4
0xzFdlbOZakYa8WYmIATYup/bG09NQ1YQbn9BZjL3ixUoyGAo1MwUTAdBgNVHQ4E
FgQUzle4dhWu1WD5O1tFnM/we+leNXMwHwYDVR0jBBgwFoAUzle4dhWu1WD5O1tF
nM/we+leNXMwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBRD/jz
eQriUc6PEMC75SOMMS2T8uknvYeOeMM/80MY0wIgU7zYeEZtJPr22NXqRSotDQRi
bJomjcx570qfx7ZgWVY=
-----END CERTIFICATE-----
";
