//! Connections that come about and those that do not, each with its reason.

use std::io::{Read, Write};
use std::net::TcpListener;

use tokio::runtime::{Builder, Runtime};
use tonic::Request;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Identity, Server, ServerTlsConfig};

use super::*;
use crate::v1::ListRequest;
use crate::v1::jobs_client::JobsClient;

/// Vouches for the certificate of the tests' coordinator.
const AUTHORITY: &str = include_str!("certificates/authority.pem");
/// Vouches for nobody.
const STRANGER: &str = include_str!("certificates/stranger.pem");
/// Of the tests' coordinator, for this machine, and its key, which is no secret.
const COORDINATOR: (&str, &str) =
    (include_str!("certificates/coordinator.pem"), include_str!("certificates/coordinator.key"));

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn target(url: &str) -> Target {
    Target::new(url.parse().expect("an address"))
}

/// Address of a server that says `answer` to whoever connects, and hears whatever else there is to hear.
fn server(answer: &'static [u8]) -> Target {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut asked = [0; 24];
            // That the client hangs up is what is expected of it.
            let _ = stream
                .read_exact(&mut asked)
                .and_then(|()| stream.write_all(answer))
                .and_then(|()| std::io::copy(&mut stream, &mut std::io::sink()));
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
fn somebody_who_hangs_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let target = target(&listener.local_addr().expect("an address").to_string());
    std::thread::spawn(move || listener.incoming().for_each(drop));
    assert_eq!(fault_of(&target), ConnectFault::HungUp);
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
    let target = Target { tls_ca: Some(AUTHORITY.to_owned()), ..Target::new(url) };
    let fault = fault_of(&target);
    assert!(matches!(fault, ConnectFault::Tls(_)), "{fault:?}");
}

/// Address of a coordinator that knows no calls, over TLS.
fn tls_server() -> CoordinatorUrl {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("an address");
    listener.set_nonblocking(true).expect("set");
    std::thread::spawn(move || {
        runtime().block_on(async {
            let incoming = TcpIncoming::from(tokio::net::TcpListener::from_std(listener).expect("a listener"));
            let identity = Identity::from_pem(COORDINATOR.0, COORDINATOR.1);
            let mut server =
                Server::builder().tls_config(ServerTlsConfig::new().identity(identity)).expect("a certificate");
            server.add_routes(tonic::service::Routes::default()).serve_with_incoming(incoming).await.expect("served");
        });
    });
    CoordinatorUrl::new(true, address.ip().to_string(), address.port())
}

#[test]
fn tls_with_who_is_vouched_for_and_who_is_not() {
    let url = tls_server();
    let mut target = Target { tls_ca: Some(AUTHORITY.to_owned()), ..Target::new(url) };
    runtime().block_on(connect(&target)).expect("connected");
    target.tls_ca = Some(STRANGER.to_owned());
    let fault = fault_of(&target);
    assert!(matches!(&fault, ConnectFault::Tls(reason) if reason.contains("UnknownIssuer")), "{fault:?}");

    let plain = Target { url: CoordinatorUrl::new(false, target.url.host(), target.url.port()), ..target };
    let fault = fault_of(&plain);
    assert!(matches!(fault, ConnectFault::NotAntichain | ConnectFault::HungUp), "it speaks TLS only: {fault:?}");
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
