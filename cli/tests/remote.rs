//! Commands that ask a coordinator: what they write, how they end, and what they say when it is not there.

#[path = "support/coordinator.rs"]
mod coordinator;
mod support;

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use antichain_proto::v1::{JobState, JobStatus, PlanReply, PositionValue, TroubledTask, VerifyReply, WorkerStatus};
use coordinator::{Coordinator, JOB, Script, ask, command, finished, outcome, running, with_jobs, write_access};
use support::Lab;

#[test]
fn nobody_at_the_address() {
    let free = TcpListener::bind("127.0.0.1:0").expect("bound").local_addr().expect("an address");
    let lab = Lab::new();
    let outcome = outcome(lab.bare_command(&["status", JOB, "--coordinator"]).arg(free.to_string()));
    outcome.assert_code(1);
    assert!(outcome.stderr.starts_with(&format!("error: no connection to http://{free}, after 0.")), "{outcome:?}");
    assert!(outcome.stderr.contains("refused") && outcome.stderr.contains("\nhint: "), "{outcome:?}");
}

#[test]
fn the_token_must_be_the_right_one() {
    let (lab, coordinator) = (Lab::new(), Coordinator::start(with_jobs([running()])));
    let wrong = outcome(command(&lab, &coordinator, &["status", JOB]).env("ANTICHAIN_TOKEN", "guessed"));
    wrong.assert_code(1);
    assert!(wrong.stderr.contains("refuses the token") && wrong.stderr.contains("ANTICHAIN_TOKEN"), "{wrong:?}");
    let none = outcome(command(&lab, &coordinator, &["watch", JOB, "--json"]).env_remove("ANTICHAIN_TOKEN"));
    none.assert_code(1);
    assert!(none.error()["reason"].as_str().is_some_and(|reason| reason.contains("wants a token")), "{none:?}");
    assert_eq!(none.error()["input"], coordinator.url());
}

#[test]
fn an_unknown_job_brings_up_the_nearest() {
    let (lab, coordinator) = (Lab::new(), Coordinator::start(with_jobs([running()])));
    for verb in ["status", "watch", "pause", "resume", "cancel", "rm"] {
        let outcome = ask(&lab, &coordinator, &[verb, "extension-boolean-4"]);
        outcome.assert_code(2);
        assert_eq!(
            outcome.stderr, "error: there is no job `extension-boolean-4`\nhint: did you mean extensions-boolean-4?\n",
            "{verb}"
        );
    }
}

#[test]
fn bad_input_is_refused_before_anybody_is_asked() {
    let free = TcpListener::bind("127.0.0.1:0").expect("bound").local_addr().expect("an address").to_string();
    let lab = Lab::new();
    for (words, reason) in [
        (&["submit", "extensions", "boolean:9"][..], "boolean:9"),
        (&["submit", "extension", "boolean:4"], "no such question"),
        (&["submit", "extensions", "boolean:8"], "boolean:8"),
        (&["plan", "extensions", "tree:3"], "tree"),
        (&["layers", "boolean:4", "--min-elements", "5", "--max-elements", "4"], "no ideal"),
        (&["run", "extensions", "boolean:4"], "asks no coordinator"),
        (&["status", JOB, "--data", "d"], "--data"),
        (&["jobs", "--data", "d"], "--coordinator"),
        (&["jobs", "--tls-ca", "none.pem"], "none.pem"),
    ] {
        let outcome = outcome(lab.bare_command(words).args(["--coordinator", &free]));
        outcome.assert_code(2);
        assert!(outcome.stderr.contains(reason) && outcome.stderr.contains("\nhint: "), "{words:?}: {outcome:?}");
    }
    let outcome = outcome(&mut lab.bare_command(&["jobs", "--coordinator", "ftp://host"]));
    outcome.assert_code(2);
    assert!(outcome.stderr.contains("http://HOST:PORT"), "{outcome:?}");
}

#[test]
fn submit_gives_the_name_of_the_job() {
    let (lab, coordinator) = (Lab::new(), Coordinator::start(Script::default()));
    let words = ["submit", "extensions", "boolean:4", "--max-elements", "16", "--min-elements", "2", "--keep-values"];
    assert_eq!(ask(&lab, &coordinator, &words).stdout, format!("{JOB}\n"));
    let json = ask(&lab, &coordinator, &["submit", "extensions", "boolean:4", "--json"]);
    json.assert_code(0);
    assert_eq!(json.document(), serde_json::json!({ "job": JOB }));
    let script = coordinator.script.lock().expect("no panic");
    let first = script.submitted.first().expect("submitted");
    let spec = first.spec.as_ref().expect("a specification");
    assert_eq!((spec.min_elements, spec.max_elements), (2, None), "a limit that limits nothing is left out");
    assert!(first.keep_values && !script.submitted[1].keep_values);
}

#[test]
fn status_says_where_a_job_stands() {
    let mut stuck = running();
    stuck.set_state(JobState::WaitingForWorkers);
    stuck.reason = "no worker has enough memory".into();
    stuck.troubled = vec![TroubledTask { task: "solve 3/0".into(), workers: vec!["host-1".into()] }];
    stuck.workers_set_aside = vec!["host-2".into()];
    let (lab, coordinator) = (Lab::new(), Coordinator::start(with_jobs([stuck])));
    let text = ask(&lab, &coordinator, &["status", JOB]);
    text.assert_code(0);
    for part in ["waiting for workers", "no worker has enough memory", "3 of 16", "solve 3/0", "host-1", "host-2"] {
        assert!(text.stdout.contains(part), "{part} in {}", text.stdout);
    }
    let status = ask(&lab, &coordinator, &["status", JOB, "--json"]).document();
    assert_eq!(status["state"], "waiting for workers");
    assert_eq!(status["progress"]["done"], 5);
    assert_eq!(status["troubled"][0]["workers"][0], "host-1");
    assert_eq!(status["workers_set_aside"][0], "host-2");
    assert!(status.get("value").is_none());

    coordinator.script.lock().expect("no panic").jobs.insert(JOB.into(), finished());
    let status = ask(&lab, &coordinator, &["status", JOB, "--json"]).document();
    assert_eq!((status["state"].as_str(), status["value"].as_str()), (Some("finished"), Some("1680384")));
}

#[test]
fn jobs_can_be_steered() {
    let (lab, coordinator) = (Lab::new(), Coordinator::start(with_jobs([running()])));
    for (verb, state) in [("pause", "paused"), ("resume", "waiting for workers"), ("cancel", "cancelled")] {
        let text = ask(&lab, &coordinator, &[verb, JOB]);
        text.assert_code(0);
        assert_eq!(text.stdout, format!("{JOB}: {state}\n"));
        assert_eq!(ask(&lab, &coordinator, &[verb, JOB, "--json"]).document()["state"], state);
    }
    let text = ask(&lab, &coordinator, &["rm", JOB]);
    assert_eq!(text.stdout, format!("{JOB} is removed, 2.0 KiB are free again\n"));
    let jobs = ask(&lab, &coordinator, &["jobs", "--json"]);
    assert_eq!(jobs.document(), serde_json::json!([]));
}

#[test]
fn workers_are_listed() {
    let worker = WorkerStatus { name: "host-1".into(), threads: 2, memory: 1 << 30, ..Default::default() };
    let script = Script { workers: vec![worker], ..Default::default() };
    let (lab, coordinator) = (Lab::new(), Coordinator::start(script));
    let text = ask(&lab, &coordinator, &["workers"]);
    text.assert_code(0);
    assert!(text.stdout.contains("host-1  idle"), "{}", text.stdout);
    assert_eq!(ask(&lab, &coordinator, &["workers", "--json"]).document()[0]["threads"], 2);
}

#[test]
fn the_coordinator_of_the_same_user_is_found() {
    let (lab, coordinator) = (Lab::new(), Coordinator::start(with_jobs([running()])));
    write_access(&lab, &coordinator);
    for words in [&["status", JOB][..], &["jobs"]] {
        let found = outcome(&mut lab.bare_command(words));
        found.assert_code(0);
        assert!(found.stdout.contains(JOB), "{found:?}");
    }
    let named = outcome(lab.bare_command(&["status", JOB, "--coordinator"]).arg(coordinator.url()));
    named.assert_code(0);

    // A data directory is nearer than any coordinator.
    fs::create_dir(lab.folder().join("antichain-data")).expect("made");
    let here = outcome(&mut lab.bare_command(&["jobs"]));
    assert!(!here.stdout.contains(JOB), "{here:?}");

    let file = lab.folder().join(".antichain/access.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("set");
    let open = outcome(&mut lab.bare_command(&["status", JOB]));
    open.assert_code(1);
    assert!(open.stderr.contains("others may read") && open.stderr.contains("chmod 600"), "{open:?}");
    fs::remove_file(&file).expect("removed");
    let none = outcome(&mut lab.bare_command(&["status", JOB]));
    none.assert_code(1);
    assert!(none.stderr.contains("no coordinator is known") && none.stderr.contains("--coordinator"), "{none:?}");
}

#[test]
fn what_is_stored_there_is_shown_as_if_it_were_here() {
    let lab = Lab::new();
    lab.value(&["run", "ideals", "boolean:4"]);
    let export = |format| lab.run(&["export", "ideals-boolean-4", "--format", format]).stdout;
    let whole: serde_json::Value = serde_json::from_str(&export("json")).expect("JSON");
    let certificate = serde_json::to_vec(&whole["certificate"]).expect("JSON");
    let coordinator = Coordinator::start(Script {
        certificates: [("ideals-boolean-4".to_owned(), certificate)].into(),
        values: vec![PositionValue {
            position: "01".into(),
            canonical: "01".into(),
            value: "2".into(),
            unfinished: String::new(),
        }],
        checks: ["totals", "digests"]
            .map(|check| VerifyReply { check: check.into(), passed: check == "totals" })
            .into(),
        ..Default::default()
    });
    for format in ["csv", "bfile"] {
        let there = ask(&lab, &coordinator, &["export", "ideals-boolean-4", "--format", format]);
        assert_eq!(there.stdout, export(format));
    }
    let there = ask(&lab, &coordinator, &["export", "ideals-boolean-4", "--format", "json"]).document();
    assert_eq!(there["certificate"], whole["certificate"]);
    assert_eq!(ask(&lab, &coordinator, &["layers", "boolean:4"]).stdout, lab.run(&["layers", "boolean:4"]).stdout);
    assert_eq!(ask(&lab, &coordinator, &["query", "extensions", "boolean:4", "01"]).stdout, "2\n");
    let verify = ask(&lab, &coordinator, &["verify", "ideals-boolean-4"]);
    verify.assert_code(1);
    assert_eq!(verify.stdout, "ok      totals\nFAILED  digests\n");
    assert!(verify.stderr.contains("1 of 2 checks"), "{verify:?}");
}

#[test]
fn layers_that_are_nowhere_are_counted_first() {
    let lab = Lab::new();
    lab.value(&["run", "ideals", "boolean:3"]);
    let whole = lab.run(&["export", "ideals-boolean-3", "--format", "json"]).document();
    let certificate = serde_json::to_vec(&whole["certificate"]).expect("JSON");
    let counted = JobStatus { job: "ideals-boolean-3".into(), ..finished() };
    let coordinator = Coordinator::start(Script {
        news: [vec![counted]].into(),
        certificates_to_come: [("ideals-boolean-3".to_owned(), certificate)].into(),
        ..Default::default()
    });
    let there = ask(&lab, &coordinator, &["layers", "boolean:3", "--json"]);
    there.assert_code(0);
    assert_eq!(there.document(), lab.json(&["layers", "boolean:3"]));
}

#[test]
fn a_plan_of_a_coordinator() {
    let spec = serde_json::json!({
        "question": "extensions", "poset": "boolean:4", "limits": { "min": 0, "max": null }
    });
    let plan = serde_json::json!({
        "job": JOB, "spec": spec, "method": { "plain": { "top": 16 } }, "orbits": "30", "labelled": "168",
        "states": 30.0, "most_states": 5.0, "edges": 60.0, "operations": 60.0, "cpu_seconds": 0.001,
        "memory_bytes": 1e6, "disk_bytes": 1e5, "disk_bytes_kept": 1e5
    });
    let document = serde_json::to_vec(&plan).expect("JSON").into();
    let script = Script { plan: PlanReply { document, exact: true }, ..Default::default() };
    let (lab, coordinator) = (Lab::new(), Coordinator::start(script));
    let there = ask(&lab, &coordinator, &["plan", "extensions", "boolean:4", "--json"]);
    there.assert_code(0);
    assert_eq!((there.document()["orbits"].as_str(), there.document()["exact"].as_bool()), (Some("30"), Some(true)));
    assert!(ask(&lab, &coordinator, &["plan", "extensions", "boolean:4"]).stdout.contains("on one core"));
}
