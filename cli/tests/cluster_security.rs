//! A coordinator that others can reach: TLS, rights, metrics, and what is refused.

#[path = "support/clock.rs"]
mod clock;
#[path = "support/cluster.rs"]
mod cluster;
mod support;

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use antichain_proto::access::Access;
use clock::{Clock, library};
use cluster::{Cluster, within_time};
use support::Outcome;

const JOB: &str = "extensions boolean:4";

/// A coordinator with everything that `antichain certs` makes.
struct Secured {
    cluster: Cluster,
}

impl Secured {
    fn start(words: &[&str]) -> Self {
        let mut cluster = Cluster::stopped("15s");
        let made = cluster.lab.bare_command(&["certs", "--out", "certs", "--host", "cluster.example"]).output();
        Outcome::of(made.expect("the program starts")).assert_code(0);
        let mut command = cluster.coordinator_command();
        command.args(["--tls-cert", "certs/coordinator.pem", "--tls-key", "certs/coordinator.key"]);
        command.args(["--token-file", "certs/owner.token", "--worker-token-file", "certs/worker.token"]);
        command.args(["--reader-token-file", "certs/reader.token"]).args(words);
        cluster.start_coordinator_as(command);
        Self { cluster }
    }

    fn url(&self) -> String {
        self.cluster.access().url().to_string()
    }

    /// A command of who has a token, and nothing else but the authority's certificate.
    fn command(&self, token: &str, words: &[&str]) -> Command {
        let mut command = self.cluster.lab.bare_command(words);
        command.args(["--coordinator", &self.url(), "--tls-ca", "certs/ca.pem"]);
        command.arg("--token-file").arg(format!("certs/{token}.token"));
        command
    }

    fn ask(&self, token: &str, words: &[&str]) -> Outcome {
        Outcome::of(self.command(token, words).output().expect("the program starts"))
    }
}

#[test]
fn everybody_may_do_what_their_token_is_for() {
    let mut secured = Secured::start(&[]);
    assert!(secured.url().starts_with("https://"));
    let submit = ["submit", "extensions", "boolean:4"];
    for (token, words, may) in [
        ("reader", &submit[..], false),
        ("worker", &submit, false),
        ("owner", &submit, true),
        ("reader", &["jobs"], true),
        ("reader", &["workers"], true),
        ("reader", &["status", "extensions-boolean-4"], true),
        ("reader", &["plan", "extensions", "boolean:5"], true),
        ("reader", &["query", "extensions", "boolean:3", "01"], true),
        ("worker", &["jobs"], false),
        ("worker", &["query", "extensions", "boolean:3", "01"], false),
        ("reader", &["pause", "extensions-boolean-4"], false),
        ("reader", &["cancel", "extensions-boolean-4"], false),
        ("reader", &["rm", "extensions-boolean-4"], false),
        ("worker", &["rm", "extensions-boolean-4"], false),
    ] {
        let outcome = secured.ask(token, words);
        assert_eq!(outcome.code == Some(0), may, "{token} {words:?}: {outcome:?}");
        assert!(may || outcome.stderr.contains("this token may"), "{token} {words:?}: {outcome:?}");
    }
    // A reader cannot work.
    let reader = secured.command("reader", &["worker", "--threads", "1", "--memory", "1GiB"]);
    let mut reader = secured.cluster.worker_as(reader);
    assert_eq!(reader.exit_code(Duration::from_secs(30)), Some(1), "{}", reader.log_text());
    assert!(reader.log_text().contains("this token may ask"), "{}", reader.log_text());
    let worker = secured.command("worker", &["worker", "--threads", "1", "--memory", "1GiB"]);
    let _worker = secured.cluster.worker_as(worker);
    secured.cluster.expect_answer("extensions-boolean-4", JOB);
    // Whoever started the coordinator needs no options: the access file has them.
    secured.cluster.ask(&["jobs"]).assert_code(0);
    let shown = ["--tls-cert", "certs/user.pem", "--tls-key", "certs/user.key"];
    let doctor = secured.ask("reader", &[&["doctor"], &shown[..]].concat());
    doctor.assert_code(0);
    assert!(doctor.stdout.contains("(antichain user): good for 39"), "{doctor:?}");
}

#[test]
fn a_coordinator_that_wants_to_know_who_connects() {
    let mut secured = Secured::start(&["--tls-client-ca", "certs/ca.pem"]);
    let stranger = secured.ask("owner", &["jobs", "--json"]);
    stranger.assert_code(1);
    assert!(stranger.error()["hint"].as_str().expect("a hint").contains("--tls-cert"), "{stranger:?}");
    let shown = ["--tls-cert", "certs/user.pem", "--tls-key", "certs/user.key"];
    secured.ask("owner", &[&["submit", "extensions", "boolean:4"], &shown[..]].concat()).assert_code(0);
    let mut worker = secured.command("worker", &["worker", "--threads", "1", "--memory", "1GiB"]);
    worker.args(["--tls-cert", "certs/worker.pem", "--tls-key", "certs/worker.key"]);
    let _worker = secured.cluster.worker_as(worker);
    let status = || secured.ask("reader", &[&["status", "extensions-boolean-4", "--json"], &shown[..]].concat());
    let value = within_time(cluster::PATIENCE, || status().document()["value"].as_str().map(str::to_owned));
    assert_eq!(value.as_deref(), Some("1680384"));
}

#[test]
fn a_certificate_is_good_by_the_clock() {
    let Some(library) = library() else { return };
    let secured = Secured::start(&[]);
    let clock = Clock::new(&library, secured.cluster.lab.folder().join("clock"));
    let at = |offset: &str| {
        clock.set(offset);
        let mut jobs = clock.worn_by(secured.command("reader", &["jobs", "--json"]));
        Outcome::of(jobs.output().expect("the program starts"))
    };
    at("+0").assert_code(0);
    for (offset, said) in [("+400d", "--renew"), ("-1d", "clock")] {
        let refused = at(offset);
        refused.assert_code(1);
        let hint = refused.error()["hint"].as_str().expect("a hint").to_owned();
        assert!(hint.contains(said), "{offset}: {refused:?}");
    }
    // Somebody else's authority.
    let mut stranger = secured.cluster.lab.bare_command(&["certs", "--out", "other", "--host", "cluster.example"]);
    Outcome::of(stranger.output().expect("the program starts")).assert_code(0);
    let mut jobs =
        secured.cluster.lab.bare_command(&["jobs", "--coordinator", &secured.url(), "--tls-ca", "other/ca.pem"]);
    let jobs = Outcome::of(jobs.args(["--token-file", "certs/reader.token"]).output().expect("the program starts"));
    jobs.assert_code(1);
    assert!(jobs.stderr.contains("--tls-ca"), "{jobs:?}");
}

#[test]
fn workers_fetch_from_one_another_over_tls() {
    let mut secured = Secured::start(&[]);
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let mut command = secured.command("worker", &["worker", "--threads", "1", "--memory", "1GiB"]);
            command.args(["--peer-listen", "127.0.0.1:0"]);
            command.args(["--tls-cert", "certs/worker.pem", "--tls-key", "certs/worker.key"]);
            secured.cluster.worker_as(command)
        })
        .collect();
    for worker in &workers {
        let listens = || worker.log_text().contains("can fetch from https://127.0.0.1:").then_some(());
        within_time(Duration::from_secs(30), listens).unwrap_or_else(|| panic!("{}", worker.log_text()));
    }
    let job = secured.cluster.submit("extensions chains:4x4x4");
    secured.cluster.expect_answer(&job, "extensions chains:4x4x4");
}

/// What a page says: status and body.
fn page(address: &str, path: &str, token: Option<&str>) -> (u16, String) {
    let mut stream = TcpStream::connect(address).expect("connected");
    let token = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n{token}Connection: close\r\n\r\n").expect("asked");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("answered");
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    (status, text)
}

#[test]
fn metrics_are_for_those_who_may_ask() {
    let mut cluster = Cluster::stopped("15s");
    let token = |name: &str| {
        let file = cluster.lab.folder().join(name);
        fs::write(&file, format!("{name}-of-this-cluster")).expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("changed");
        file
    };
    let (worker, reader): (PathBuf, PathBuf) = (token("worker"), token("reader"));
    let mut command = cluster.coordinator_command();
    command.arg("--worker-token-file").arg(worker).arg("--reader-token-file").arg(reader);
    command.args(["--http", "127.0.0.1:0"]);
    cluster.start_coordinator_as(command);
    let log = cluster.coordinator.as_ref().expect("a coordinator").log_text();
    let (_, rest) = log.split_once(r#""http":""#).expect("an address");
    let address = rest.split('"').next().expect("an address").to_owned();
    let owner = cluster.access().token.secret().to_owned();
    for (path, token, status) in [
        ("/metrics", None, 401),
        ("/metrics", Some("guessed"), 401),
        ("/metrics", Some("worker-of-this-cluster"), 403),
        ("/metrics", Some("reader-of-this-cluster"), 200),
        ("/metrics", Some(&*owner), 200),
        ("/healthz", None, 200),
        ("/readyz", None, 200),
        ("/", None, 404),
    ] {
        assert_eq!(page(&address, path, token).0, status, "{path} {token:?}");
    }
    let _worker = cluster.worker(&[]);
    let job = cluster.submit(JOB);
    cluster.expect_answer(&job, JOB);
    let (_, text) = page(&address, "/metrics", Some("reader-of-this-cluster"));
    let value = |name: &str| -> f64 {
        let line =
            text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap_or_else(|| panic!("{name}: {text}"));
        line.rsplit(' ').next().expect("a value").parse().expect("a number")
    };
    assert!(value(r#"antichain_results_total{verdict="accepted"}"#) >= 1.0);
    assert!(value(r#"antichain_requests_total{service="work"}"#) >= 3.0);
    assert_eq!(value(r#"antichain_workers{state="live"}"#), 1.0);
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert!(!text.contains(&job), "series do not grow with jobs");
}

#[test]
fn what_would_open_a_door_is_refused() {
    let cluster = Cluster::stopped("15s");
    let folder = cluster.lab.folder();
    let token = folder.join("token");
    fs::write(&token, "a-secret-of-sixteen-and-more\n").expect("written");
    let mode = |mode| fs::set_permissions(&token, fs::Permissions::from_mode(mode)).expect("changed");
    let refused = |words: &[&str], input: &str, reason: &str| {
        let mut command = cluster.lab.bare_command(&["coordinator", "--json"]);
        if !words.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        command.arg("--data").arg(&cluster.data).args(words);
        let outcome = Outcome::of(command.output().expect("the program starts"));
        outcome.assert_code(2);
        let error = outcome.error();
        assert!(error["reason"].as_str().expect("a reason").contains(reason), "{words:?}: {error}");
        assert!(error["input"].as_str().unwrap_or("").contains(input), "{words:?}: {error}");
        assert!(error["hint"].is_string(), "{words:?}: {error}");
    };
    mode(0o644);
    for option in ["--token-file", "--worker-token-file", "--reader-token-file"] {
        refused(&[option, "token"], "token", "others may read");
    }
    refused(&["--tls-cert", "token", "--tls-key", "token"], "token", "others may read");
    mode(0o600);
    refused(&["--token-file", "token", "--worker-token-file", "token"], "", "different rights");
    refused(&["--worker-token-file", "token", "--reader-token-file", "token"], "", "different rights");
    refused(&["--token-file", "absent"], "absent", "cannot be read");
    refused(&["--http", "0.0.0.0:0"], "0.0.0.0:0", "other machines");
    refused(&["--listen", "0.0.0.0:0"], "0.0.0.0:0", "other machines");
    refused(&["--tls-client-ca", "token"], "", "--tls-cert");
    refused(&["--max-connections", "0"], "0", "number of connections");
    fs::write(&token, "too-short\n").expect("written");
    refused(&["--token-file", "token"], "token", "too short");
    fs::write(&token, "two words").expect("written");
    refused(&["--token-file", "token"], "token", "no token");
    assert!(!cluster.data.exists(), "nothing was made");
    let worker =
        cluster.lab.bare_command(&["worker", "--coordinator", "127.0.0.1:1", "--peer-listen", "0.0.0.0:0"]).output();
    let worker = Outcome::of(worker.expect("the program starts"));
    worker.assert_code(2);
    assert!(worker.stderr.contains("--tls-cert"), "{worker:?}");
}

#[test]
fn who_shows_no_token_is_cut_off() {
    let mut cluster = Cluster::stopped("15s");
    let mut command = cluster.coordinator_command();
    command.args(["--http", "127.0.0.1:0"]);
    cluster.start_coordinator_as(command);
    let worker = cluster.worker(&[]);
    let pages = cluster.events().iter().find_map(|event| event["fields"]["http"].as_str().map(str::to_owned));
    let services = format!("127.0.0.1:{}", cluster.access().port);
    let silent = TcpStream::connect(services).expect("connected");
    let mut slow = TcpStream::connect(pages.expect("an address")).expect("connected");
    write!(slow, "GET /metrics HTTP/1.1\r\nHost: x\r\n").expect("said");
    let start = Instant::now();
    for mut stream in [silent, slow] {
        stream.set_read_timeout(Some(Duration::from_secs(90))).expect("set");
        // Whatever is said first, the end comes: an error is one, unless it is that nothing came in time.
        let end = stream.read_to_end(&mut Vec::new());
        let kind = end.err().map(|error| error.kind());
        assert!(!matches!(kind, Some(ErrorKind::WouldBlock | ErrorKind::TimedOut)), "{kind:?}");
    }
    assert!(start.elapsed() > Duration::from_secs(20), "after {:?}", start.elapsed());
    // Who has shown one stays connected.
    let job = cluster.submit(JOB);
    cluster.expect_answer(&job, JOB);
    let log = worker.log_text();
    assert_eq!(log.matches(r#""message":"registered""#).count(), 1, "{log}");
    assert!(!log.contains("no answer"), "{log}");
}

#[test]
fn nothing_listens_but_what_was_asked_for() {
    let mut cluster = Cluster::start("15s");
    let _worker = cluster.worker(&[]);
    let job = cluster.submit(JOB);
    cluster.expect_answer(&job, JOB);
    let coordinator = cluster.coordinator.as_ref().expect("a coordinator").id();
    let worker = _worker.id();
    assert_eq!(
        listening(coordinator),
        [format!("127.0.0.1:{}", Access::read(&cluster.access_file()).expect("read").port)]
    );
    assert_eq!(listening(worker), Vec::<String>::new());
}

/// Where a process listens, of all that the kernel knows of its sockets.
fn listening(process: u32) -> Vec<String> {
    let links = fs::read_dir(format!("/proc/{process}/fd")).expect("a process");
    let sockets: Vec<String> = links
        .filter_map(|link| {
            fs::read_link(link.ok()?.path())
                .ok()?
                .to_str()?
                .strip_prefix("socket:[")?
                .strip_suffix(']')
                .map(str::to_owned)
        })
        .collect();
    let mut found = Vec::new();
    for (table, loopback) in [("tcp", "0100007F"), ("tcp6", "00000000000000000000000001000000")] {
        let text = fs::read_to_string(format!("/proc/{process}/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            // 0A: it listens.
            if fields[3] == "0A" && sockets.iter().any(|inode| inode == fields[9]) {
                let (address, port) = fields[1].split_once(':').expect("an address");
                let address = if address == loopback { "127.0.0.1" } else { address };
                found.push(format!("{address}:{}", u16::from_str_radix(port, 16).expect("a port")));
            }
        }
    }
    found
}
