//! What a coordinator counts while it serves, for its metrics: without a lock.

use std::sync::atomic::{AtomicU64, Ordering};

/// The services that requests are counted of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// Of users: jobs.
    Jobs,
    /// Of workers: tasks and results.
    Work,
    /// Of workers: blocks of tables.
    Tables,
    /// Of users: values of positions.
    Values,
}

/// Where a coordinator listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// For workers and users.
    Services,
    /// For its pages.
    Pages,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Its token is missing or wrong.
    Token,
    /// Its token is for other things.
    Rights,
    /// Its address asks too often.
    Rate,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is stored.
    Accepted,
    /// It was there.
    Identical,
    /// Its lease had ended, or its task was not wanted any more.
    Stale,
    /// It does not match its digest, the task or the file.
    Corrupt,
    /// Another worker found something else.
    Different,
    /// There was no room for it; it is delivered again.
    NoRoom,
}

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Meter(AtomicU64);

impl Meter {
    /// One more.
    pub fn count(&self) {
        self.add(1);
    }

    /// So many more.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// How many.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Everything that is counted since the coordinator was started.
#[derive(Debug, Default)]
pub struct Meters {
    requests: [Meter; Self::SERVICES.len()],
    refused: [Meter; Self::REFUSALS.len()],
    results: [Meter; Self::VERDICTS.len()],
    /// Leases that ended because their worker was not heard of.
    pub leases_lost: Meter,
    /// Work of the tasks whose results were stored.
    pub work_done: Meter,
    /// States dealt with by these.
    pub states_done: Meter,
    connections_refused: [Meter; Self::PORTS.len()],
}

impl Meters {
    /// The services, with their names.
    pub const SERVICES: [(Service, &str); 4] =
        [(Service::Jobs, "jobs"), (Service::Work, "work"), (Service::Tables, "tables"), (Service::Values, "values")];
    /// The refusals, with their names.
    pub const REFUSALS: [(Refusal, &str); 3] =
        [(Refusal::Token, "token"), (Refusal::Rights, "rights"), (Refusal::Rate, "rate")];
    /// The verdicts, with their names.
    pub const VERDICTS: [(Verdict, &str); 6] = [
        (Verdict::Accepted, "accepted"),
        (Verdict::Identical, "identical"),
        (Verdict::Stale, "stale"),
        (Verdict::Corrupt, "corrupt"),
        (Verdict::Different, "different"),
        (Verdict::NoRoom, "no_room"),
    ];
    /// The ports, with their names.
    pub const PORTS: [(Port, &str); 2] = [(Port::Services, "services"), (Port::Pages, "pages")];

    /// Requests of a service.
    pub fn requests(&self, service: Service) -> &Meter {
        &self.requests[service as usize]
    }

    /// Requests that were refused.
    pub fn refused(&self, refusal: Refusal) -> &Meter {
        &self.refused[refusal as usize]
    }

    /// Connections that were more than there may be.
    pub fn connections_refused(&self, port: Port) -> &Meter {
        &self.connections_refused[port as usize]
    }

    /// Results that were delivered.
    pub fn results(&self, verdict: Verdict) -> &Meter {
        &self.results[verdict as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_a_meter_of_its_own() {
        let meters = Meters::default();
        for (number, (service, _)) in Meters::SERVICES.into_iter().enumerate() {
            meters.requests(service).add(number as u64 + 1);
        }
        for (number, (refusal, _)) in Meters::REFUSALS.into_iter().enumerate() {
            meters.refused(refusal).add(number as u64 + 1);
        }
        for (number, (verdict, _)) in Meters::VERDICTS.into_iter().enumerate() {
            meters.results(verdict).add(number as u64 + 1);
        }
        assert_eq!(Meters::SERVICES.map(|(service, _)| meters.requests(service).get()), [1, 2, 3, 4]);
        assert_eq!(Meters::REFUSALS.map(|(refusal, _)| meters.refused(refusal).get()), [1, 2, 3]);
        assert_eq!(Meters::VERDICTS.map(|(verdict, _)| meters.results(verdict).get()), [1, 2, 3, 4, 5, 6]);
    }
}
