//! Results that are late, double, damaged or wrong: what the coordinator makes of them, and of who sent them.

#[path = "support/cluster.rs"]
mod cluster;
#[path = "support/fake.rs"]
mod fake;
mod support;

use antichain_proto::v1::{Lease, TaskKind, Verdict};
use cluster::Cluster;
use fake::{Fake, Parcel};
use tonic::Code;

const JOB: &str = "extensions boolean:5";

/// A job that is cut into tasks, of which the first two read nothing: enumeration of layer 1 and values of layer 0.
fn begun() -> (Cluster, String) {
    let cluster = Cluster::start("15s");
    let job = cluster.submit(&format!("{JOB} --keep-values"));
    (cluster, job)
}

fn of_kind(leases: &[Lease], kind: TaskKind) -> Lease {
    leases.iter().find(|lease| lease.kind() == kind).expect("handed out").clone()
}

#[test]
fn a_result_that_is_sent_twice_counts_once() {
    let (mut cluster, job) = begun();
    let mut fake = Fake::new(&cluster.target(), "eager");
    let leases = fake.acquire(64).expect("tasks");
    for kind in [TaskKind::Enumerate, TaskKind::Solve] {
        let lease = of_kind(&leases, kind);
        let result = Parcel::of(&lease);
        assert_eq!(fake.deliver(&lease, &result).expect("an answer").verdict(), Verdict::Accepted);
        let again = fake.deliver(&lease, &result).expect("an answer");
        assert_ne!(again.verdict(), Verdict::Accepted, "{again:?}");
        assert!(matches!(again.verdict(), Verdict::Identical | Verdict::Stale), "{again:?}");
    }
    // What it was given since goes back.
    drop(fake);
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&job, JOB);
    cluster.assert_nothing_twice();
}

#[test]
fn a_result_after_the_job_was_cancelled_changes_nothing() {
    let (mut cluster, job) = begun();
    let mut fake = Fake::new(&cluster.target(), "late");
    let leases = fake.acquire(64).expect("tasks");
    let lease = of_kind(&leases, TaskKind::Enumerate);
    cluster.ask(&["cancel", &job]).assert_code(0);
    let reply = fake.deliver(&lease, &Parcel::of(&lease)).expect("an answer");
    assert_eq!(reply.verdict(), Verdict::Stale);
    assert_eq!(fake.heartbeat(vec![lease.epoch]), [lease.epoch], "it is told to stop");
    assert_eq!(cluster.status(&job)["state"], "cancelled");
    assert_eq!(cluster.stored(), 0);
    // The same question again goes on as if nothing had been.
    assert_eq!(cluster.submit(&format!("{JOB} --keep-values")), job);
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&job, JOB);
}

#[test]
fn a_worker_with_three_corrupt_results_is_set_aside() {
    let (mut cluster, job) = begun();
    let mut fake = Fake::new(&cluster.target(), "broken");
    let damage: [fn(&mut Parcel); 3] = [
        |result| *result.blocks.last_mut().expect("blocks") ^= 1,
        |result| {
            // The digest of the file is in its last bytes.
            let head = result.head.as_mut().expect("a file");
            let mut tail = head.tail.to_vec();
            let middle = tail.len() / 2;
            tail[middle] ^= 1;
            head.tail = tail.into();
        },
        |result| result.findings = b"{\"solved\": ".to_vec(),
    ];
    for spoil in damage {
        let leases = fake.acquire(64).expect("tasks");
        let lease = of_kind(&leases, TaskKind::Enumerate);
        let mut result = Parcel::of(&lease);
        spoil(&mut result);
        let reply = fake.deliver(&lease, &result).expect("an answer");
        assert_eq!(reply.verdict(), Verdict::Corrupt, "{reply:?}");
        assert!(!reply.reason.is_empty());
    }
    assert_eq!(fake.acquire(1).expect_err("set aside").code(), Code::PermissionDenied);
    let status = cluster.status(&job);
    assert_eq!(status["workers_set_aside"], serde_json::json!(["broken/1"]));
    assert!(cluster.ask(&["status", &job]).stdout.contains("broken/1, whose results were corrupt"));
    assert_eq!(cluster.stored(), 0);
    let _worker = cluster.worker(&[]);
    cluster.expect_answer(&job, JOB);
    cluster.assert_nothing_twice();
}

#[test]
fn values_that_are_not_those_of_their_file_are_corrupt() {
    let (cluster, _) = begun();
    let mut fake = Fake::new(&cluster.target(), "broken");
    let leases = fake.acquire(64).expect("tasks");
    let lease = of_kind(&leases, TaskKind::Solve);
    let mut result = Parcel::of(&lease);
    let text = String::from_utf8(result.findings).expect("JSON");
    let mut findings: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let digest = findings["solved"]["values"]["digest"].take();
    let other = digest.as_str().expect("a digest").replace('a', "b");
    findings["solved"]["values"]["digest"] = other.into();
    result.findings = findings.to_string().into_bytes();
    let reply = fake.deliver(&lease, &result).expect("an answer");
    assert_eq!(reply.verdict(), Verdict::Corrupt, "{reply:?}");
    assert_eq!(cluster.stored(), 0);
}

/// Delivers a right result, and after `between` another one that is as well-formed from another worker. Returns whether the
/// first one was still known: if what follows from it is stored before a kill, it is not after that.
fn disagree(between: impl FnOnce(&mut Cluster)) -> bool {
    let (mut cluster, job) = begun();
    let mut first = Fake::new(&cluster.target(), "first");
    let leases = first.acquire(64).expect("tasks");
    let lease = of_kind(&leases, TaskKind::Enumerate);
    let result = Parcel::of(&lease);
    assert_eq!(first.deliver(&lease, &result).expect("an answer").verdict(), Verdict::Accepted);
    drop(first);
    between(&mut cluster);
    let mut second = Fake::new(&cluster.target(), "second");
    let mut other = result;
    let text = String::from_utf8(other.findings).expect("JSON");
    let mut findings: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    findings["enumerated"]["edges"] = (findings["enumerated"]["edges"].as_u64().expect("a number") + 1).into();
    other.findings = findings.to_string().into_bytes();
    match second.deliver(&lease, &other).expect("an answer").verdict() {
        Verdict::Stale => return false,
        verdict => assert_eq!(verdict, Verdict::Different),
    }
    let status = cluster.status(&job);
    assert_eq!(status["state"], "failed", "{status:#}");
    let reason = status["reason"].as_str().expect("a reason");
    assert!(reason.contains("first/1") && reason.contains("second/1"), "{reason}");
    let watch = cluster.ask(&["watch", &job]);
    watch.assert_code(1);
    assert!(watch.stderr.contains("first/1") && watch.stderr.contains("second/1"), "{watch:?}");
    true
}

#[test]
fn two_workers_that_disagree_stop_the_job_and_are_named() {
    assert!(disagree(|_| {}));
}

#[test]
fn both_are_named_though_the_coordinator_was_restarted_in_between() {
    let restart = |cluster: &mut Cluster| {
        cluster.kill_coordinator();
        cluster.start_coordinator();
    };
    assert!((0..20).any(|_| disagree(restart)));
}
