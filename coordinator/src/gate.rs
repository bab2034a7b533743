//! The gate: through it connections come in, no more of them than there may be, in all and from one origin; no origin asks more
//! often than it may; and whoever does not soon show a token that opens something is shown out. So whoever floods a coordinator
//! has neither its file descriptors nor its time for long.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_stream::Stream;
use tonic::Request;
use tonic::transport::server::{Connected, TlsConnectInfo};

use crate::meters::{Meters, Port};

/// Of all connections those that may be from one origin: workers of a large host share one.
const PART_OF_ONE_ORIGIN: usize = 4;
/// Requests of an origin in a second: several times what a hundred workers ask on the shortest tasks.
const MOST_REQUESTS: u32 = 20_000;
const SECOND: Duration = Duration::from_secs(1);
/// How long nobody is let in after the system has refused a connection, as it does where file descriptors are used up.
const REST: Duration = Duration::from_millis(100);
/// How long a connection is open that has not shown a token which opens something: TLS is agreed on within seconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whose an address is. A host of IPv6 has as many addresses as it likes, of one network; so has the loopback of IPv4.
fn origin(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) if address.is_loopback() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            if address.is_loopback() { address.into() } else { Ipv6Addr::from(network).into() }
        }
    }
}

/// What the gate knows of the origins that are connected.
#[derive(Default)]
struct Origins {
    open: usize,
    of: HashMap<IpAddr, Origin>,
}

/// What it knows of one of them.
struct Origin {
    open: usize,
    /// When the second began in which requests are counted, and their number.
    requests: (Instant, u32),
}

/// What connections and requests are counted by.
#[derive(Clone)]
pub struct Counter {
    most: usize,
    origins: Arc<Mutex<Origins>>,
}

impl Counter {
    /// For so many connections, of which a quarter may be from one origin.
    pub fn new(most: usize) -> Self {
        Self { most, origins: Arc::default() }
    }

    fn origins(&self) -> MutexGuard<'_, Origins> {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connections that are open.
    pub fn open(&self) -> usize {
        self.origins().open
    }

    /// A place for one more connection, as long as the ticket is kept.
    fn admit(&self, from: IpAddr) -> Option<Ticket> {
        let from = origin(from);
        let mut origins = self.origins();
        let most = (self.most / PART_OF_ONE_ORIGIN).max(1);
        let open = origins.of.get(&from).map_or(0, |origin| origin.open);
        if origins.open >= self.most || open >= most {
            return None;
        }
        origins.open += 1;
        origins.of.entry(from).or_insert_with(|| Origin { open: 0, requests: (Instant::now(), 0) }).open += 1;
        Some(Ticket { counter: self.clone(), from })
    }

    /// Whether one more request from an address is not one too many.
    pub fn may_ask(&self, from: IpAddr, now: Instant) -> bool {
        let mut origins = self.origins();
        // Whoever is not connected any more has nothing to ask.
        let Some(origin) = origins.of.get_mut(&origin(from)) else { return true };
        let (since, count) = &mut origin.requests;
        if now.duration_since(*since) >= SECOND {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        *count <= MOST_REQUESTS
    }
}

/// The place of a connection.
struct Ticket {
    counter: Counter,
    from: IpAddr,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut origins = self.counter.origins();
        origins.open -= 1;
        if let Some(origin) = origins.of.get_mut(&self.from) {
            origin.open -= 1;
            if origin.open == 0 {
                origins.of.remove(&self.from);
            }
        }
    }
}

/// See the [module](self).
pub struct Gate {
    listener: TcpListener,
    counter: Counter,
    meters: Arc<Meters>,
    port: Port,
    patience: Duration,
    rest: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl Gate {
    /// In front of a listener.
    pub fn new(listener: TcpListener, counter: Counter, meters: Arc<Meters>, port: Port) -> Self {
        Self { listener, counter, meters, port, patience: PATIENCE, rest: None }
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The system's.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The next connection, and where it is from.
    pub async fn admit(&mut self) -> (Admitted, SocketAddr) {
        poll_fn(|context| self.poll_admit(context)).await
    }

    fn poll_admit(&mut self, context: &mut Context<'_>) -> Poll<(Admitted, SocketAddr)> {
        loop {
            if let Some(rest) = &mut self.rest {
                ready!(rest.as_mut().poll(context));
                self.rest = None;
            }
            let (stream, from) = match ready!(self.listener.poll_accept(context)) {
                Ok(accepted) => accepted,
                Err(error) => {
                    // An error that was passed on would end the server.
                    tracing::warn!("no connection can be taken: {error}");
                    self.rest = Some(Box::pin(tokio::time::sleep(REST)));
                    continue;
                }
            };
            let Some(ticket) = self.counter.admit(from.ip()) else {
                self.meters.connections_refused(self.port).count();
                continue;
            };
            // Without it small messages wait for others; nothing else is lost.
            let _ = stream.set_nodelay(true);
            let caller = Caller { address: from, is_welcome: Arc::default() };
            let patience = Some(Box::pin(tokio::time::sleep(self.patience)));
            return Poll::Ready((Admitted { stream, caller, patience, _ticket: ticket }, from));
        }
    }
}

impl Stream for Gate {
    type Item = io::Result<Admitted>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_admit(context).map(|(admitted, _)| Some(Ok(admitted)))
    }
}

/// Who is at the other end of a connection.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Where it calls from.
    pub address: SocketAddr,
    is_welcome: Arc<AtomicBool>,
}

impl Caller {
    /// Who makes a request, if that came through a gate.
    pub fn of<T>(request: &Request<T>) -> Option<Self> {
        let extensions = request.extensions();
        let over_tls = || extensions.get::<TlsConnectInfo<Self>>().map(TlsConnectInfo::get_ref);
        extensions.get::<Self>().or_else(over_tls).cloned()
    }

    /// It has shown a token that opens something, and may stay.
    pub fn welcome(&self) {
        self.is_welcome.store(true, Ordering::Relaxed);
    }
}

/// A connection that has its place.
pub struct Admitted {
    stream: TcpStream,
    caller: Caller,
    /// As long as nobody knows whether it is welcome.
    patience: Option<Pin<Box<tokio::time::Sleep>>>,
    _ticket: Ticket,
}

impl Admitted {
    /// Who is at its other end.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

impl Connected for Admitted {
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        self.caller.clone()
    }
}

impl AsyncRead for Admitted {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Some(patience) = &mut self.patience
            && patience.as_mut().poll(context).is_ready()
        {
            if !self.caller.is_welcome.load(Ordering::Relaxed) {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.patience = None;
        }
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Admitted {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio_stream::StreamExt;

    use super::*;

    #[test]
    fn places_are_limited_and_given_back() {
        let counter = Counter::new(8);
        let from = |last| IpAddr::from([10, 0, 0, last]);
        let first: Vec<_> = (0..3).map(|_| counter.admit(from(1))).collect();
        assert_eq!(first.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false], "a quarter");
        let others: Vec<_> = (2..5).flat_map(|last| [counter.admit(from(last)), counter.admit(from(last))]).collect();
        assert!(others.iter().all(Option::is_some));
        assert_eq!(counter.open(), 8);
        assert!(counter.admit(from(9)).is_none(), "all places are taken");
        drop(first);
        assert!(counter.admit(from(1)).is_some());
        drop(others);
        assert_eq!((counter.open(), counter.origins().of.len()), (0, 0));
    }

    #[test]
    fn an_address_asks_no_more_often_than_it_may() {
        let counter = Counter::new(8);
        let from = IpAddr::from([10, 0, 0, 1]);
        let _ticket = counter.admit(from).expect("a place");
        let now = Instant::now();
        assert!((0..MOST_REQUESTS).all(|_| counter.may_ask(from, now)));
        assert!(!counter.may_ask(from, now));
        assert!(counter.may_ask(from, now + SECOND));
    }

    #[tokio::test]
    async fn who_is_too_many_is_hung_up_on() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let address = listener.local_addr().expect("an address");
        let meters = Arc::new(Meters::default());
        let mut gate = Gate::new(listener, Counter::new(4), meters.clone(), Port::Services);
        let _first = TcpStream::connect(address).await.expect("connected");
        let admitted = gate.next().await.expect("open").expect("a connection");
        let second = TcpStream::connect(address).await.expect("connected");
        let waits = tokio::time::timeout(Duration::from_millis(200), gate.next()).await;
        assert!(waits.is_err(), "not let in");
        assert_eq!(meters.connections_refused(Port::Services).get(), 1);
        second.readable().await.expect("the other side has hung up");
        drop(admitted);
        let _third = TcpStream::connect(address).await.expect("connected");
        gate.next().await.expect("open").expect("a connection");
    }

    #[tokio::test]
    async fn who_shows_no_token_is_shown_out_and_who_did_stays() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let address = listener.local_addr().expect("an address");
        let mut gate = Gate::new(listener, Counter::new(8), Arc::default(), Port::Services);
        gate.patience = Duration::from_millis(100);
        let _clients = [TcpStream::connect(address).await, TcpStream::connect(address).await];
        let (mut silent, _) = gate.admit().await;
        let (mut known, _) = gate.admit().await;
        known.caller().welcome();
        let error = silent.read_u8().await.expect_err("nothing comes");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let waits = tokio::time::timeout(Duration::from_millis(300), known.read_u8()).await;
        assert!(waits.is_err(), "it may say something whenever it likes");
    }

    #[test]
    fn a_host_with_many_addresses_is_one() {
        let of = |text: &str| origin(text.parse().expect("an address"));
        assert_eq!(of("127.0.0.1"), of("127.3.4.5"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_eq!(of("2001:db8:1:2:3::4"), of("2001:db8:1:2::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
        assert_ne!(of("::1"), of("::"));
    }
}
