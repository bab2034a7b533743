//! What goes wrong when, from a seed: the same for the same seed.

use std::time::Duration;

use crate::dice::Dice;
use crate::network::Way;

/// Something that goes wrong for a while. Hosts are numbers: 0 is the coordinator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A host is cut off, both ways.
    CutOff(usize),
    /// What a host sends is lost, or what it gets.
    OneWay(usize, Way),
    /// Packets of a host are late, by 100 ms on each way, and one in twenty is lost.
    Slow(usize),
    /// The interface of a host is down.
    Unplugged(usize),
    /// The processes of a host stand still.
    Frozen(usize),
    /// kill -9 of a host's processes, which are started again when it is over.
    Killed(usize),
    /// SIGTERM, and started again.
    Restarted(usize),
    /// The coordinator's disk is full.
    DiskFull,
}

/// When it goes wrong, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spell {
    pub begins: Duration,
    pub lasts: Duration,
    pub fault: Fault,
}

/// What may be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storm {
    /// Only kills.
    Kills,
    /// Everything.
    Everything,
}

/// So many spells on so many hosts, each begun within a second and a half of the one before, some while others last.
pub fn schedule(seed: u64, storm: Storm, hosts: usize, spells: usize) -> Vec<Spell> {
    let mut dice = Dice::of(seed);
    let mut begins = Duration::ZERO;
    let mut draw = || {
        begins += Duration::from_millis(200 + dice.below(1300));
        let host = dice.below(hosts as u64) as usize;
        let way = if dice.below(2) == 0 { Way::From } else { Way::To };
        let kinds = if storm == Storm::Kills { 1 } else { 8 };
        let fault = match dice.below(kinds) {
            0 => Fault::Killed(host),
            1 => Fault::Restarted(host),
            2 => Fault::CutOff(host),
            3 => Fault::OneWay(host, way),
            4 => Fault::Slow(host),
            5 => Fault::Unplugged(host),
            6 => Fault::Frozen(host),
            _ => Fault::DiskFull,
        };
        let lasts = match fault {
            Fault::Killed(_) | Fault::Restarted(_) => dice.below(800),
            _ => 500 + dice.below(4500),
        };
        Spell { begins, lasts: Duration::from_millis(lasts), fault }
    };
    (0..spells).map(|_| draw()).collect()
}
