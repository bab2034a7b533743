//! Hosts on a network that this process switches, so that packets can be lost, delayed and cut off, by direction.

// Each test program takes what it needs.
#![allow(dead_code)]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::dice::Dice;
use crate::host::{Host, LARGEST};

/// Packets that are on the way at most: more are lost, as in a real switch.
const ON_THE_WAY: usize = 10_000;
/// Time after which the switch looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// A direction, seen from a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// What it sends.
    From,
    /// What it gets.
    To,
}

/// What happens to packets on one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weather {
    /// How many of a hundred are lost.
    pub lost: u64,
    /// How late they come.
    pub delay: Duration,
}

impl Weather {
    /// Nothing comes through.
    pub const CUT: Self = Self { lost: 100, delay: Duration::ZERO };
}

/// Of each host, what happens to what it sends and to what it gets.
type Forecast = Arc<Mutex<Vec<[Weather; 2]>>>;

/// See the head of this file.
pub struct Network {
    pub hosts: Arc<Vec<Host>>,
    forecast: Forecast,
    ends: Arc<AtomicBool>,
    switch: Option<JoinHandle<()>>,
}

impl Network {
    /// So many hosts, with addresses from 10.77.0.1 on. `None`, with a notice, where that needs rights that there are not.
    pub fn start(hosts: usize, seed: u64) -> Option<Self> {
        let address = |host: usize| Ipv4Addr::new(10, 77, 0, host as u8 + 1);
        let hosts: Vec<Host> = match (0..hosts).map(|host| Host::new(address(host))).collect() {
            Ok(hosts) => hosts,
            Err(error) => {
                eprintln!("skipped: hosts of their own need root, TUN devices, `ip` and `nsenter`: {error}");
                return None;
            }
        };
        let (forecast, ends) = (Arc::new(Mutex::new(vec![Default::default(); hosts.len()])), Arc::default());
        let switch = Switch {
            hosts: Arc::new(hosts),
            forecast: Arc::clone(&forecast),
            ends: Arc::clone(&ends),
            dice: Dice::of(seed),
            on_the_way: BinaryHeap::new(),
            passed: 0,
        };
        let hosts = switch.hosts.clone();
        Some(Self { hosts, forecast, ends, switch: Some(std::thread::spawn(move || switch.run())) })
    }

    /// What happens from now on to what a host sends or gets.
    pub fn set(&self, host: usize, way: Way, weather: Weather) {
        self.forecast.lock().unwrap_or_else(PoisonError::into_inner)[host][way as usize] = weather;
    }

    /// The same on both ways.
    pub fn set_both(&self, host: usize, weather: Weather) {
        [Way::From, Way::To].into_iter().for_each(|way| self.set(host, way, weather));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        if let Some(switch) = self.switch.take() {
            let _ = switch.join();
        }
    }
}

/// A packet: when it arrives, how many went before it, where, and its bytes.
type Packet = Reverse<(Instant, u64, usize, Vec<u8>)>;

struct Switch {
    hosts: Arc<Vec<Host>>,
    forecast: Forecast,
    ends: Arc<AtomicBool>,
    dice: Dice,
    on_the_way: BinaryHeap<Packet>,
    passed: u64,
}

impl Switch {
    fn run(mut self) {
        let hosts = self.hosts.clone();
        let mut bytes = vec![0; LARGEST];
        while !self.ends.load(Ordering::Relaxed) {
            self.deliver();
            let next = self.on_the_way.peek().map(|Reverse((at, ..))| at.saturating_duration_since(Instant::now()));
            let wait = Timespec::try_from(next.map_or(LOOK, |next| next.min(LOOK))).expect("a short time");
            let mut wires: Vec<PollFd<'_>> = hosts.iter().map(|host| PollFd::new(&host.wire, PollFlags::IN)).collect();
            if poll(&mut wires, Some(&wait)).is_err() {
                continue;
            }
            for (from, wire) in wires.iter().enumerate() {
                if !wire.revents().contains(PollFlags::IN) {
                    continue;
                }
                while let Ok(length) = (&hosts[from].wire).read(&mut bytes) {
                    self.take(from, &bytes[..length]);
                }
            }
        }
    }

    /// Takes a packet, which may be lost here.
    fn take(&mut self, from: usize, packet: &[u8]) {
        // What is not IPv4 asks for neighbours that there are not.
        let Some(&[a, b, c, d]) = packet.get(16..20).filter(|_| packet[0] >> 4 == 4) else { return };
        let address = Ipv4Addr::new(a, b, c, d);
        let Some(to) = self.hosts.iter().position(|host| host.address == address) else { return };
        let forecast = self.forecast.lock().unwrap_or_else(PoisonError::into_inner);
        let ways = [forecast[from][Way::From as usize], forecast[to][Way::To as usize]];
        drop(forecast);
        let is_lost = ways.iter().any(|way| way.lost > 0 && self.dice.below(100) < way.lost);
        if is_lost || self.on_the_way.len() >= ON_THE_WAY {
            return;
        }
        let at = Instant::now() + ways.iter().map(|way| way.delay).sum::<Duration>();
        self.passed += 1;
        self.on_the_way.push(Reverse((at, self.passed, to, packet.to_vec())));
    }

    /// Gives hosts what has arrived.
    fn deliver(&mut self) {
        let now = Instant::now();
        while self.on_the_way.peek().is_some_and(|Reverse((at, ..))| *at <= now) {
            let Some(Reverse((.., to, packet))) = self.on_the_way.pop() else { return };
            // A host that is unplugged, or does not keep up, loses it.
            let _ = (&self.hosts[to].wire).write(&packet);
        }
    }
}
