//! The gate: through it connections come in, no more of them than there may be, in all and from one address; and no address asks
//! more often than it may. So whoever floods a coordinator has the file descriptors and the time of others for long.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_stream::Stream;
use tonic::transport::server::{Connected, TcpConnectInfo};

use crate::meters::Meters;

/// Of all connections those that may be from one address: workers of a large host share one.
const PART_OF_ONE_ADDRESS: usize = 4;
/// Requests of an address in a second: several times what a hundred workers ask on the shortest tasks.
const MOST_REQUESTS: u32 = 20_000;
const SECOND: Duration = Duration::from_secs(1);
/// How long nobody is let in after the system has refused a connection, as it does where file descriptors are used up.
const REST: Duration = Duration::from_millis(100);

/// What the gate knows of the addresses that are connected.
#[derive(Default)]
struct Addresses {
    open: usize,
    of: HashMap<IpAddr, Address>,
}

/// What it knows of one of them.
struct Address {
    open: usize,
    /// When the second began in which requests are counted, and their number.
    requests: (Instant, u32),
}

/// What connections and requests are counted by.
#[derive(Clone)]
pub struct Counter {
    most: usize,
    addresses: Arc<Mutex<Addresses>>,
}

impl Counter {
    /// For so many connections, of which a quarter may be from one address.
    pub fn new(most: usize) -> Self {
        Self { most, addresses: Arc::default() }
    }

    fn addresses(&self) -> MutexGuard<'_, Addresses> {
        self.addresses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Connections that are open.
    pub fn open(&self) -> usize {
        self.addresses().open
    }

    /// A place for one more connection, as long as the ticket is kept.
    fn admit(&self, from: IpAddr) -> Option<Ticket> {
        let mut addresses = self.addresses();
        let most = (self.most / PART_OF_ONE_ADDRESS).max(1);
        let open = addresses.of.get(&from).map_or(0, |address| address.open);
        if addresses.open >= self.most || open >= most {
            return None;
        }
        addresses.open += 1;
        addresses.of.entry(from).or_insert_with(|| Address { open: 0, requests: (Instant::now(), 0) }).open += 1;
        Some(Ticket { counter: self.clone(), from })
    }

    /// Whether one more request of an address is not one too many.
    pub fn may_ask(&self, from: IpAddr, now: Instant) -> bool {
        let mut addresses = self.addresses();
        // Whoever is not connected any more has nothing to ask.
        let Some(address) = addresses.of.get_mut(&from) else { return true };
        let (since, count) = &mut address.requests;
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
        let mut addresses = self.counter.addresses();
        addresses.open -= 1;
        if let Some(address) = addresses.of.get_mut(&self.from) {
            address.open -= 1;
            if address.open == 0 {
                addresses.of.remove(&self.from);
            }
        }
    }
}

/// See the [module](self).
pub struct Gate {
    listener: TcpListener,
    counter: Counter,
    meters: Arc<Meters>,
    rest: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl Gate {
    /// In front of a listener.
    pub fn new(listener: TcpListener, counter: Counter, meters: Arc<Meters>) -> Self {
        Self { listener, counter, meters, rest: None }
    }
}

impl Gate {
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
                self.meters.connections_refused.count();
                continue;
            };
            // Without it small messages wait for others; nothing else is lost.
            let _ = stream.set_nodelay(true);
            return Poll::Ready((Admitted { stream, _ticket: ticket }, from));
        }
    }
}

impl Stream for Gate {
    type Item = io::Result<Admitted>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_admit(context).map(|(admitted, _)| Some(Ok(admitted)))
    }
}

/// A connection that has its place.
pub struct Admitted {
    stream: TcpStream,
    _ticket: Ticket,
}

impl Connected for Admitted {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.stream.connect_info()
    }
}

impl AsyncRead for Admitted {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
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
        assert_eq!((counter.open(), counter.addresses().of.len()), (0, 0));
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
        let mut gate = Gate::new(listener, Counter::new(4), meters.clone());
        let _first = TcpStream::connect(address).await.expect("connected");
        let admitted = gate.next().await.expect("open").expect("a connection");
        let second = TcpStream::connect(address).await.expect("connected");
        let waits = tokio::time::timeout(Duration::from_millis(200), gate.next()).await;
        assert!(waits.is_err(), "not let in");
        assert_eq!(meters.connections_refused.get(), 1);
        second.readable().await.expect("the other side has hung up");
        drop(admitted);
        let _third = TcpStream::connect(address).await.expect("connected");
        gate.next().await.expect("open").expect("a connection");
    }
}
