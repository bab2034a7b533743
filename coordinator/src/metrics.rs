//! The metrics of a coordinator, in the text format of OpenMetrics, which Prometheus reads: the same series always, however many
//! jobs and workers there are.

use std::fs;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::{self, ConstCounter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;

use crate::desk::Desk;
use crate::gate::Counter;
use crate::meters::Meters;

/// Content type of the text for who knows OpenMetrics, and for others: to them the end and the units are comments.
pub const CONTENT_TYPES: [&str; 2] =
    ["application/openmetrics-text; version=1.0.0; charset=utf-8", "text/plain; version=0.0.4; charset=utf-8"];

type Label = [(&'static str, &'static str); 1];

/// All metrics as they are now. `commit` is that of the program.
pub fn text(desk: &Desk, connections: &Counter, commit: &'static str) -> String {
    let mut registry = Registry::with_prefix("antichain");
    let (tallies, meters) = (desk.tallies(), desk.meters());
    // As a number, which older readers of the format know too.
    let build = Family::<[(&str, &str); 2], Gauge>::default();
    build.get_or_create(&[("version", env!("CARGO_PKG_VERSION")), ("commit", commit)]).set(1);
    registry.register("build_info", "The program", build);
    let mut gauge = |name: &str, help: &str, value: f64| registry.register(name, help, ConstGauge::new(value));
    gauge("uptime_seconds", "Time since the coordinator was started", desk.now().as_secs_f64());
    gauge("worker_threads", "Threads of the workers that are heard of", tallies.threads as f64);
    gauge("tasks_ready", "Tasks that nobody has", tallies.tasks.ready as f64);
    gauge("tasks_leased", "Tasks that workers have", tallies.tasks.leased as f64);
    gauge("tasks_set_aside", "Tasks that were lost with several workers", tallies.tasks.set_aside as f64);
    gauge(
        "store_free_bytes",
        "Bytes that are free where results are stored",
        tallies.free_bytes.map_or(f64::NAN, |bytes| bytes as f64),
    );
    gauge("no_room", "Whether nothing can be stored for lack of room", f64::from(u8::from(tallies.no_room)));
    gauge("connections", "Connections that are open", connections.open() as f64);
    let jobs = [("running", tallies.jobs_running), ("paused", tallies.jobs_paused), ("failed", tallies.jobs_failed)];
    registry.register("jobs", "Jobs that are not over", gauges("state", jobs));
    let workers =
        [("live", tallies.workers_live), ("silent", tallies.workers_silent), ("set_aside", tallies.workers_set_aside)];
    registry.register("workers", "Workers by whether they are heard of", gauges("state", workers));
    let results = Meters::VERDICTS.map(|(verdict, name)| (name, meters.results(verdict).get()));
    registry.register("results", "Results that were delivered, by what became of them", counters("verdict", results));
    let requests = Meters::SERVICES.map(|(service, name)| (name, meters.requests(service).get()));
    registry.register("requests", "Requests by service", counters("service", requests));
    let refused = Meters::REFUSALS.map(|(refusal, name)| (name, meters.refused(refusal).get()));
    registry.register("requests_refused", "Requests that were refused, by reason", counters("reason", refused));
    let refused = Meters::PORTS.map(|(port, name)| (name, meters.connections_refused(port).get()));
    registry.register("connections_refused", "Connections that were too many, by port", counters("port", refused));
    let mut counter = |name: &str, help: &str, value: u64| registry.register(name, help, ConstCounter::new(value));
    counter("leases_lost", "Leases whose worker was not heard of in time", meters.leases_lost.get());
    counter("work_done", "Work of the results that were stored, as plans count it", meters.work_done.get());
    counter("states_done", "States that these dealt with", meters.states_done.get());
    let mut text = encoded(&registry);
    // Two registries in one text: its end belongs to the second alone.
    text.truncate(text.rfind("# EOF").unwrap_or(text.len()));
    text + &encoded(&of_process())
}

fn encoded(registry: &Registry) -> String {
    let mut text = String::new();
    // Memory takes everything.
    let _ = encode(&mut text, registry);
    text
}

fn gauges<const N: usize>(label: &'static str, values: [(&'static str, usize); N]) -> Family<Label, Gauge> {
    let family = Family::<Label, Gauge>::default();
    for (name, value) in values {
        family.get_or_create(&[(label, name)]).set(value as i64);
    }
    family
}

fn counters<const N: usize>(label: &'static str, values: [(&'static str, u64); N]) -> Family<Label, counter::Counter> {
    let family = Family::<Label, counter::Counter>::default();
    for (name, value) in values {
        family.get_or_create(&[(label, name)]).inc_by(value);
    }
    family
}

/// What the system says of this process, under the names that all programs give it.
fn of_process() -> Registry {
    let mut registry = Registry::with_prefix("process");
    let pages = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let resident = pages.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0);
    let resident = resident * rustix::param::page_size() as f64;
    registry.register("resident_memory_bytes", "Memory that is in use", ConstGauge::new(resident));
    let open = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    registry.register("open_fds", "File descriptors in use", ConstGauge::new(open as f64));
    registry.register("cpu_seconds", "Processor time so far", ConstCounter::new(cpu_seconds()));
    registry
}

/// Processor time so far, of this process: fields 14 and 15, counted after the name, which may hold anything.
fn cpu_seconds() -> f64 {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let ticks: f64 = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    ticks / rustix::param::clock_ticks_per_second() as f64
}

#[cfg(test)]
mod tests {
    use antichain_common::job::{JobSpec, Question, SizeLimits};
    use antichain_common::store::Store;

    use super::*;
    use crate::ledger::Settings;
    use crate::meters::Verdict;

    #[test]
    fn the_series_are_the_same_whatever_there_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("data")).expect("opened");
        let desk = Desk::open(store, Settings::default()).expect("opened");
        let names = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            let mut names: Vec<String> =
                lines.map(|line| line.rsplit_once(' ').expect("a value").0.to_owned()).collect();
            // The order of labels is anybody's.
            names.sort_unstable();
            names
        };
        let before = text(&desk, &Counter::new(4), "abc");
        let spec = JobSpec::read(Question::Extensions, "boolean:4", SizeLimits { min: 0, max: None }).expect("a job");
        desk.submit(&spec, false, None).expect("submitted");
        desk.meters().results(Verdict::Corrupt).count();
        let after = text(&desk, &Counter::new(4), "abc");
        assert_eq!(names(&before), names(&after));
        for line in [
            r#"antichain_build_info{version="0.1.0",commit="abc"} 1"#,
            r#"antichain_jobs{state="running"} 1"#,
            r#"antichain_results_total{verdict="corrupt"} 1"#,
            r#"antichain_requests_refused_total{reason="rights"} 0"#,
            "antichain_no_room 0.0",
        ] {
            assert!(after.lines().any(|found| found == line), "{line} in\n{after}");
        }
        assert!(after.contains("\nprocess_cpu_seconds_total ") && after.ends_with("# EOF\n"), "{after}");
        assert_eq!(after.matches("# EOF").count(), 1);
    }
}
