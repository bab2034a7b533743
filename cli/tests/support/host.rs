//! A host of its own in this machine: a network namespace with one interface, whose packets this process carries.

// A namespace of a thread and the registration of an interface have no safe call.
#![allow(unsafe_code)]

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

use rustix::ioctl::{Opcode, Setter, ioctl};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// `TUNSETIFF` of linux/if_tun.h.
const SET_INTERFACE: Opcode = 0x4004_54ca;
/// `IFF_TUN | IFF_NO_PI`: packets of IP, with nothing before them.
const PACKETS_ONLY: u16 = 0x1001;
/// Its only interface, but for the loopback.
const INTERFACE: &str = "wire";
/// Bytes of the largest packet: few packets, for each costs this process a look.
pub const LARGEST: usize = 9000;

/// `struct ifreq` of linux/if.h, as `TUNSETIFF` reads it.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; 16],
    flags: u16,
    rest: [u8; 22],
}

/// See the head of this file.
pub struct Host {
    pub address: Ipv4Addr,
    /// What the host sends is read here, what it gets is written.
    pub wire: File,
    /// Holds the namespace, which goes with the last process in it and this file.
    namespace: File,
}

impl Host {
    /// # Errors
    /// Where that needs rights or programs that there are not.
    pub fn new(address: Ipv4Addr) -> io::Result<Self> {
        // A thread is moved for good, so it is one of its own.
        let moved = std::thread::spawn(move || Self::on_this_thread(address));
        moved.join().map_err(|_| io::Error::other("the thread of a host panicked"))?
    }

    fn on_this_thread(address: Ipv4Addr) -> io::Result<Self> {
        // SAFETY: files are shared on; only the network is another.
        unsafe { unshare_unsafe(UnshareFlags::NEWNET) }?;
        let namespace = File::open("/proc/thread-self/ns/net")?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
        let wire = options.open("/dev/net/tun")?;
        let mut request = InterfaceRequest { name: [0; 16], flags: PACKETS_ONLY, rest: [0; 22] };
        request.name[..INTERFACE.len()].copy_from_slice(INTERFACE.as_bytes());
        // SAFETY: this code takes an ifreq, of which the kernel reads name and flags.
        unsafe { ioctl(&wire, Setter::<SET_INTERFACE, _>::new(request)) }?;
        let host = Self { address, wire, namespace };
        let (address, largest) = (format!("{address}/24"), LARGEST.to_string());
        host.ip(&["link", "set", "lo", "up"])?;
        host.ip(&["address", "add", &address, "dev", INTERFACE])?;
        host.ip(&["link", "set", INTERFACE, "mtu", &largest, "up"])?;
        Ok(host)
    }

    /// What stands before a command that is to run on this host.
    pub fn enter(&self) -> Vec<OsString> {
        let namespace = format!("--net=/proc/{}/fd/{}", std::process::id(), self.namespace.as_raw_fd());
        vec!["nsenter".into(), namespace.into()]
    }

    /// Pulls the plug, or puts it in again.
    pub fn plug(&self, is_in: bool) {
        self.ip(&["link", "set", INTERFACE, if is_in { "up" } else { "down" }]).expect("an interface");
    }

    fn ip(&self, words: &[&str]) -> io::Result<()> {
        let enter = self.enter();
        let mut command = Command::new(&enter[0]);
        let status = command.args(&enter[1..]).arg("ip").args(words).stdin(Stdio::null()).status()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("ip {words:?}: {status}"))) }
    }
}
