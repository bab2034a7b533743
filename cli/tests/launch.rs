//! Workers on plain hosts, by a real ssh server: copied, started, listed, stopped.

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cluster::{Cluster, within_time};
use support::{Lab, Outcome};

const SERVER: &str = "/usr/sbin/sshd";

/// A server of ssh on a port of its own, with keys of its own. Ended when it is dropped.
struct Server {
    child: Child,
    /// How to call ssh so that it finds it.
    ssh: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts one, where there is one.
    fn start(folder: &Path) -> Option<Self> {
        if !Path::new(SERVER).exists() {
            eprintln!("skipped: {SERVER} is not installed");
            return None;
        }
        let path = |name: &str| folder.join(name).display().to_string();
        for key in ["host", "user"] {
            let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f", &path(key)]).status();
            assert!(made.expect("ssh-keygen starts").success());
        }
        fs::copy(path("user.pub"), path("authorized")).expect("copied");
        let port =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let (host, authorized) = (path("host"), path("authorized"));
        fs::write(
            path("sshd.conf"),
            format!(
                "ListenAddress 127.0.0.1:{port}\nHostKey {host}\nAuthorizedKeysFile {authorized}\nPidFile none\nUsePAM no\n\
                 StrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\n"
            ),
        )
        .expect("written");
        // It wants this folder, which packages make when they start it as a service.
        let _ = fs::create_dir_all("/run/sshd");
        let user = path("user");
        fs::write(
            path("ssh.conf"),
            format!(
                "Host *\n  HostName 127.0.0.1\n  Port {port}\n  IdentityFile {user}\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  \
                 UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
            ),
        )
        .expect("written");
        let log = fs::File::create(path("sshd.log")).expect("a file");
        let child =
            Command::new(SERVER).args(["-D", "-e", "-f", &path("sshd.conf")]).stdin(Stdio::null()).stderr(log).spawn();
        let server = Self { child: child.expect("it starts"), ssh: format!("ssh -F {}", path("ssh.conf")) };
        let listens = || std::net::TcpStream::connect(("127.0.0.1", port)).ok();
        within_time(Duration::from_secs(20), listens)
            .unwrap_or_else(|| panic!("{:?}", fs::read_to_string(path("sshd.log"))));
        Some(server)
    }
}

fn standings(outcome: &Outcome) -> Vec<String> {
    let all = outcome.document();
    let all = all.as_array().expect("hosts").iter();
    all.map(|host| host["standing"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn workers_are_copied_started_listed_and_stopped() {
    let mut cluster = Cluster::start("15s");
    let Some(server) = Server::start(cluster.lab.folder()) else { return };
    let folder = |name: &str| cluster.lab.folder().join("remote").join(name);
    let lines = ["one", "two"].map(|name| format!("{name} folder={} threads=1 memory=1GiB\n", folder(name).display()));
    fs::write(cluster.lab.folder().join("hosts"), lines.concat()).expect("written");
    let launch = |words: &[&str]| {
        let mut command =
            cluster.command(&["launch", "--hosts", "hosts", "--json", "--loopback", "--ssh", &server.ssh]);
        command.args(words).env("HOME", std::env::var_os("HOME").unwrap_or_default());
        Outcome::of(command.output().expect("the program starts"))
    };
    let listed = launch(&["--list"]);
    listed.assert_code(0);
    assert_eq!(standings(&listed), ["stopped", "stopped"]);
    let started = launch(&[]);
    started.assert_code(0);
    assert_eq!(standings(&started), ["started", "started"]);
    let mode = |file: &str| fs::metadata(folder("one").join(file)).expect("there").permissions().mode() & 0o077;
    assert_eq!(mode("token"), 0, "nobody else may read the token");
    let again = launch(&[]);
    again.assert_code(0);
    assert_eq!(standings(&again), ["running", "running"], "one worker a host");
    assert_eq!(standings(&launch(&["--list"])), ["running", "running"]);
    let token = cluster.access().token.secret().to_owned();
    let seen = Command::new("ps").args(["-eo", "args"]).output().expect("ps starts").stdout;
    assert!(!String::from_utf8_lossy(&seen).contains(&token), "the token is on no command line");
    let stopped = || {
        let outcome = launch(&["--stop", "--drain", "5s"]);
        (outcome.code, standings(&outcome))
    };
    let job = cluster.ask(&["submit", "extensions", "boolean:4", "--wait"]);
    job.assert_code(0);
    assert_eq!(stopped(), (Some(0), ["stopped", "stopped"].map(str::to_owned).to_vec()));
    assert_eq!(stopped(), (Some(0), ["stopped", "stopped"].map(str::to_owned).to_vec()));
    let idle = launch(&["--list"]);
    assert_eq!(standings(&idle), ["stopped", "stopped"]);
    assert!(!folder("one").join("token").exists(), "what is secret does not stay");

    // The second time the program is there, and a worker that cannot work says why.
    let program = fs::metadata(folder("one").join("antichain")).and_then(|about| about.modified()).expect("there");
    cluster.kill_coordinator();
    fs::remove_file(cluster.data.join("access.json")).expect("removed");
    let old = fs::read(cluster.access_file()).expect("read");
    cluster.start_coordinator();
    let fresh = fs::read(cluster.access_file()).expect("read");
    fs::write(cluster.access_file(), old).expect("written");
    let refused = {
        let mut command =
            cluster.command(&["launch", "--hosts", "hosts", "--json", "--loopback", "--ssh", &server.ssh]);
        command.env("HOME", std::env::var_os("HOME").unwrap_or_default());
        Outcome::of(command.output().expect("the program starts"))
    };
    refused.assert_code(1);
    assert_eq!(standings(&refused), ["failed", "failed"]);
    assert!(refused.stdout.contains("refuses the token"), "{refused:?}");
    let there = |name: &str| cluster.lab.folder().join("remote").join(name).join("antichain");
    assert_eq!(fs::metadata(there("one")).and_then(|about| about.modified()).expect("there"), program);
    fs::write(cluster.access_file(), fresh).expect("written");
}

#[test]
fn hosts_that_cannot_be_reached_are_named() {
    let lab = Lab::new();
    let run = |text: &str, words: &[&str]| {
        fs::write(lab.folder().join("hosts"), text).expect("written");
        let mut command = lab.bare_command(&["launch", "--hosts", "hosts", "--json"]);
        Outcome::of(command.args(words).output().expect("the program starts"))
    };
    for (text, input) in [("-oProxyCommand=id", "-oProxyCommand=id"), ("a threads=0", "threads=0"), ("# none", "hosts")]
    {
        let refused = run(text, &["--list"]);
        refused.assert_code(2);
        assert_eq!(refused.error()["input"], input, "{text}");
    }
    let loopback = run("a", &["--coordinator", "127.0.0.1:1"]);
    loopback.assert_code(2);
    assert!(loopback.error()["hint"].as_str().expect("a hint").contains("antichain certs"), "{loopback:?}");
    let absent = run("a\nb", &["--list", "--ssh", "no-such-ssh"]);
    absent.assert_code(1);
    assert_eq!(standings(&absent), ["failed", "failed"]);
}

#[test]
fn other_hosts_do_not_learn_the_token_of_the_owner() {
    let lab = Lab::new();
    let access = r#"{"host":"10.77.99.1","port":7461,"token":"0123456789abcdef0123","version":"0.1.0"}"#;
    fs::write(lab.folder().join("access.json"), access).expect("written");
    fs::set_permissions(lab.folder().join("access.json"), fs::Permissions::from_mode(0o600)).expect("changed");
    fs::write(lab.folder().join("hosts"), "node1\n").expect("written");
    let mut command =
        lab.bare_command(&["launch", "--hosts", "hosts", "--ssh", "false", "--access-file", "access.json"]);
    let refused = Outcome::of(command.output().expect("the program starts"));
    refused.assert_code(2);
    assert!(refused.stderr.contains("token of the owner") && refused.stderr.contains("--token-file"), "{refused:?}");
    let named = Outcome::of(command.env("ANTICHAIN_TOKEN", "fedcba9876543210").output().expect("the program starts"));
    named.assert_code(1);
}
