//! A coordinator: whether it answers, speaks the same, and has the same time.

use std::time::{Duration, SystemTime};

use antichain_proto::connect::Target;
use antichain_proto::v1::WorkersReply;
use antichain_proto::{ENGINE, PROTOCOL};
use tonic::Code;

use super::{Finding, certificates};
use crate::remote::{Remote, RemoteError};

/// Clocks that differ by more are worth a word, and by more than the second one are wrong.
const CLOCKS: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(3600));

/// Looks at it.
pub fn look(target: Target) -> Vec<Finding> {
    let about = format!("coordinator {}", target.url);
    let now = SystemTime::now();
    let mut found = Vec::new();
    if let Some(authority) = target.tls_ca.as_deref().filter(|_| target.url.is_tls()) {
        found.extend(certificates::look("certificate that vouches for the coordinator", authority, now));
    }
    if let Some(identity) = &target.identity {
        found.extend(certificates::look("certificate to show", &identity.certificate, now));
    }
    match Remote::connect(target).and_then(|remote| remote.greeting()) {
        Err(RemoteError::Refused { code: Code::PermissionDenied, .. }) => {
            found.push(Finding::well(about, "answers; this token is for work, and may not ask more"));
        }
        Err(error) => found.push(Finding::of_error(about, error)),
        Ok(greeting) => {
            found.push(Finding::well(&about, "answers"));
            found.extend([versions(&greeting), clock(&greeting, SystemTime::now()), workers(&greeting)]);
        }
    }
    found
}

fn versions(greeting: &WorkersReply) -> Finding {
    let WorkersReply { software, protocol, engine, .. } = greeting;
    let seen = format!("{software}, protocol {protocol}, engine {engine}");
    if (*protocol, engine.as_str()) == (PROTOCOL, ENGINE) {
        return Finding::well("version of the coordinator", seen);
    }
    let hint = format!("run the same version everywhere; here it is protocol {PROTOCOL}, engine {ENGINE}");
    Finding::wrong("version of the coordinator", seen, hint)
}

fn clock(greeting: &WorkersReply, now: SystemTime) -> Finding {
    let about = "clocks";
    let theirs = SystemTime::UNIX_EPOCH + Duration::from_millis(greeting.unix_millis);
    let difference = theirs.duration_since(now).unwrap_or_else(|error| error.duration());
    let seen = format!("{:.1} s apart", difference.as_secs_f64());
    let hint = "set them by the network: certificates are good by the clock, and logs are compared";
    match difference {
        far if far >= CLOCKS.1 => Finding::wrong(about, seen, hint),
        some if some >= CLOCKS.0 => Finding::doubtful(about, seen, hint),
        _ => Finding::well(about, seen),
    }
}

fn workers(greeting: &WorkersReply) -> Finding {
    let about = "workers";
    let all = greeting.workers.len();
    let count = |is: fn(&antichain_proto::v1::WorkerStatus) -> bool| greeting.workers.iter().filter(|w| is(w)).count();
    let (aside, gone) = (count(|worker| worker.set_aside), count(|worker| worker.gone));
    let seen = format!("{} heard of, {gone} silent, {aside} set aside", all - gone);
    if aside > 0 {
        return Finding::doubtful(
            about,
            seen,
            "`antichain workers` names those whose results were corrupt: look at their machines",
        );
    }
    if all == gone {
        return Finding::doubtful(about, seen, "`antichain worker` starts one");
    }
    Finding::well(about, seen)
}

#[cfg(test)]
mod tests {
    use antichain_proto::v1::WorkerStatus;

    use super::*;
    use crate::doctor::Health;

    #[test]
    fn clocks_a_day_apart_are_wrong() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 31);
        let health = |seconds: i64| {
            let unix_millis = ((1 << 31) + seconds) as u64 * 1000;
            clock(&WorkersReply { unix_millis, ..WorkersReply::default() }, now).health
        };
        assert_eq!([0, 59, -59].map(health), [Health::Well; 3]);
        assert_eq!([61, -61].map(health), [Health::Doubtful; 2]);
        assert_eq!([86_400, -86_400].map(health), [Health::Wrong; 2]);
    }

    #[test]
    fn another_version_is_wrong() {
        let greeting = |protocol| WorkersReply { protocol, engine: ENGINE.to_owned(), ..WorkersReply::default() };
        assert_eq!(versions(&greeting(PROTOCOL)).health, Health::Well);
        assert_eq!(versions(&greeting(PROTOCOL + 1)).health, Health::Wrong);
    }

    #[test]
    fn workers_that_are_set_aside_are_worth_a_word() {
        let health = |worker: WorkerStatus| {
            let workers = vec![WorkerStatus::default(), worker];
            workers_of(workers)
        };
        fn workers_of(workers: Vec<WorkerStatus>) -> Health {
            super::workers(&WorkersReply { workers, ..WorkersReply::default() }).health
        }
        assert_eq!(health(WorkerStatus::default()), Health::Well);
        assert_eq!(health(WorkerStatus { set_aside: true, ..WorkerStatus::default() }), Health::Doubtful);
        assert_eq!(workers_of(vec![WorkerStatus { gone: true, ..WorkerStatus::default() }]), Health::Doubtful);
        assert_eq!(workers_of(Vec::new()), Health::Doubtful);
    }
}
