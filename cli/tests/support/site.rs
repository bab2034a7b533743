//! A coordinator and workers, each on a host of its own, and everything that can happen to them.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::cluster::{Cluster, Process, entering, within_time};
use crate::disk::SmallDisk;
use crate::network::{Network, Weather};
use crate::schedule::{Fault, Spell};

/// A worker that is told to end has this long for what it has in hand.
const DRAIN: &str = "2s";
/// It ends after that and a last call, which takes up to 20 s where nobody answers.
const ENDS: Duration = Duration::from_secs(60);
/// Room of the coordinator.
const DISK_MEBIBYTES: usize = 128;

/// See the head of this file.
pub struct Site {
    /// That of host `n + 1` at `n`; none while it is down.
    workers: Vec<Option<Process>>,
    disk: SmallDisk,
    /// Hosts whose processes were told to end.
    told: BTreeSet<usize>,
    pub cluster: Cluster,
    pub network: Network,
}

impl Site {
    /// A coordinator and so many workers. `None`, with a notice, where that needs rights that there are not.
    pub fn start(workers: usize, lease: &'static str, seed: u64) -> Option<Self> {
        let network = Network::start(workers + 1, seed)?;
        let mut cluster = Cluster::stopped(lease);
        let disk = SmallDisk::mount(cluster.lab.folder().join("disk"), DISK_MEBIBYTES)?;
        cluster.data = disk.folder().join("data");
        cluster.enter = network.hosts[0].enter();
        cluster.address = "10.77.0.1";
        cluster.start_coordinator();
        let workers_down = (0..workers).map(|_| None).collect();
        let mut site = Self { workers: workers_down, disk, told: BTreeSet::new(), cluster, network };
        (1..=workers).for_each(|host| site.start_on(host));
        Some(site)
    }

    /// Starts what is to run on a host, if it does not.
    pub fn start_on(&mut self, host: usize) {
        let Some(at) = host.checked_sub(1) else {
            if self.cluster.coordinator.is_none() {
                // On a full disk it says so and ends: that is for a test of its own.
                self.disk.clear();
                self.cluster.start_coordinator();
            }
            return;
        };
        if self.workers[at].is_some() {
            return;
        }
        let (name, host) = (format!("worker-{host}"), &self.network.hosts[host]);
        let mut command = self.cluster.worker_command(&["--drain", DRAIN, "--insecure"]);
        command.arg("--peer-listen").arg(format!("{}:0", host.address));
        command.arg("--data").arg(self.cluster.lab.folder().join(&name));
        self.workers[at] = Some(Process::start(entering(&host.enter(), command), self.cluster.log(&name)));
    }

    /// The process of a host.
    pub fn process(&mut self, host: usize) -> &mut Option<Process> {
        match host.checked_sub(1) {
            None => &mut self.cluster.coordinator,
            Some(at) => &mut self.workers[at],
        }
    }

    pub fn begin(&mut self, fault: Fault) {
        match fault {
            Fault::CutOff(host) => self.network.set_both(host, Weather::CUT),
            Fault::OneWay(host, way) => self.network.set(host, way, Weather::CUT),
            Fault::Slow(host) => {
                self.network.set_both(host, Weather { lost: 5, delay: Duration::from_millis(100) });
            }
            Fault::Unplugged(host) => self.network.hosts[host].plug(false),
            Fault::Frozen(host) => self.signal(host, Signal::STOP),
            Fault::Killed(host) => {
                self.told.remove(&host);
                if let Some(process) = self.process(host).take() {
                    process.kill();
                }
            }
            Fault::Restarted(host) => {
                self.signal(host, Signal::CONT);
                // A second signal would end it at once.
                if self.told.insert(host)
                    && let Some(process) = self.process(host)
                {
                    process.wait_until_it_heeds_sigterm();
                    process.signal(Signal::TERM);
                }
            }
            Fault::DiskFull => drop(self.disk.fill_up()),
        }
    }

    pub fn end(&mut self, fault: Fault) {
        match fault {
            Fault::CutOff(host) | Fault::OneWay(host, _) | Fault::Slow(host) => {
                self.network.set_both(host, Weather::default());
            }
            Fault::Unplugged(host) => self.network.hosts[host].plug(true),
            Fault::Frozen(host) => self.signal(host, Signal::CONT),
            Fault::Killed(host) => self.start_on(host),
            Fault::Restarted(host) => {
                self.told.remove(&host);
                // It may have been frozen meanwhile.
                self.signal(host, Signal::CONT);
                if let Some(mut process) = self.process(host).take() {
                    let code = process.exit_code(ENDS);
                    assert_eq!(code, Some(0), "host {host} does not end: {}", process.log_text());
                }
                self.start_on(host);
            }
            Fault::DiskFull => {
                self.disk.clear();
                // It may have ended with a sentence, where its catalogue could not be written.
                let coordinator = self.cluster.coordinator.as_mut();
                if coordinator.is_some_and(|coordinator| !coordinator.is_running()) {
                    self.cluster.coordinator = None;
                    self.start_on(0);
                }
            }
        }
    }

    fn signal(&mut self, host: usize, signal: Signal) {
        if let Some(process) = self.process(host) {
            process.signal(signal);
        }
    }

    /// Lets everything happen that a schedule says; then all is well again.
    pub fn endure(&mut self, spells: &[Spell]) {
        let ends = spells.iter().map(|spell| (spell.begins + spell.lasts, false, spell.fault));
        let mut moments: Vec<_> = spells.iter().map(|spell| (spell.begins, true, spell.fault)).chain(ends).collect();
        moments.sort_by_key(|&(at, ..)| at);
        let start = Instant::now();
        for (at, begins, fault) in moments {
            std::thread::sleep(at.saturating_sub(start.elapsed()));
            println!("{:6.2} s: {fault:?}{}", start.elapsed().as_secs_f64(), if begins { "" } else { " is over" });
            if begins { self.begin(fault) } else { self.end(fault) }
        }
        (0..=self.workers.len()).for_each(|host| self.start_on(host));
    }

    /// The jobs come to their ends, with the answers that `run` gives, and everything stored is right.
    #[track_caller]
    pub fn expect_answers(&mut self, jobs: &[(String, &str)]) {
        for (id, job) in jobs {
            self.cluster.see_to_the_end_of(id);
            self.cluster.expect_answer(id, job);
            self.cluster.ask(&["verify", id]).assert_code(0);
        }
        let stored = self.cluster.assert_nothing_twice();
        let running = self.workers.iter_mut().flatten().map(Process::is_running);
        assert!(running.into_iter().all(|is_running| is_running), "no worker ends by itself");
        println!("{stored} results stored, {} computed", self.cluster.computed());
    }

    /// Waits until a process has logged something since its log was `from` bytes long.
    #[track_caller]
    pub fn wait_for_log(&mut self, host: usize, from: usize, text: &str) {
        let process = self.process(host).as_ref().expect("a process");
        let said = within_time(crate::cluster::PATIENCE, || process.log_text()[from..].contains(text).then_some(()));
        assert!(said.is_some(), "host {host} never says {text:?}");
    }

    pub fn log_length(&mut self, host: usize) -> usize {
        self.process(host).as_ref().map_or(0, |process| process.log_text().len())
    }

    /// Number of workers of which the coordinator hears.
    pub fn heard_of(&self, job: &str) -> u64 {
        self.cluster.status(job)["workers"].as_u64().expect("a number")
    }
}
