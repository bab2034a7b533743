//! A worker's host: it acquires tasks, works on them one after another, gives signs of life, and delivers.
//!
//! Whatever it has to say, it says until there is an answer, over as many connections as that takes.

use std::future::pending;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};
use turmoil::net::TcpStream;

use super::coordinator::PORT;
use super::run::{Order, Shared};
use super::scenario::{Nature, Random, check, right};
use super::wire::{Reply, Request, receive, send};

/// Time after which no answer is expected any more.
const PATIENCE: Duration = Duration::from_secs(4);
/// Time between signs of life.
const BEAT: Duration = Duration::from_secs(3);

struct Worker {
    shared: Rc<Shared>,
    worker: u64,
    connection: Option<TcpStream>,
    random: Random,
    /// Tasks and epochs.
    held: Vec<(u64, u64)>,
}

/// The host's software.
///
/// # Errors
/// None: it goes on until it is ended from outside.
pub async fn worker(shared: Rc<Shared>, worker: u64) -> turmoil::Result {
    let random = Random(shared.scenario.seed ^ (shared.life() << 32) ^ (worker << 16));
    Worker { shared, worker, connection: None, random, held: Vec::new() }.run().await
}

impl Worker {
    async fn run(mut self) -> turmoil::Result {
        self.register().await?;
        let mut place = 0;
        loop {
            let (worker, most, memory) = (self.worker, 1 + self.random.below(3), self.memory());
            match self.ask(&Request::Acquire { worker, most, memory, place }).await? {
                Reply::Leases(leases) if leases.is_empty() => sleep(Duration::from_secs(1)).await,
                Reply::Leases(leases) => {
                    self.held = leases.chunks_exact(2).map(|lease| (lease[0], lease[1])).collect();
                    place = leases[0];
                    self.work().await?;
                }
                Reply::SetAside => sleep(Duration::from_secs(10)).await,
                _ => self.register().await?,
            }
        }
    }

    fn memory(&self) -> u64 {
        self.shared.scenario.workers[self.worker as usize].memory
    }

    async fn register(&mut self) -> io::Result<()> {
        self.ask(&Request::Register { worker: self.worker, memory: self.memory() }).await.map(drop)
    }

    async fn work(&mut self) -> io::Result<()> {
        while let Some(&(task, epoch)) = self.held.first() {
            if self.compute(task, epoch).await? {
                self.held.retain(|&(_, other)| other != epoch);
                self.deliver(task, epoch).await?;
            }
        }
        Ok(())
    }

    /// Works on a task. Returns whether there is a result to be delivered.
    async fn compute(&mut self, task: u64, epoch: u64) -> io::Result<bool> {
        let end = Instant::now() + Duration::from_millis(100) * self.shared.scenario.tasks[task as usize].work as u32;
        loop {
            match self.shared.next_order(self.worker) {
                Some(Order::Stall(time)) => {
                    sleep(time).await;
                    return Ok(true);
                }
                Some(Order::Drain) => {
                    self.drain().await?;
                    return Ok(false);
                }
                None => {}
            }
            if self.shared.scenario.poison == Some(task) {
                self.shared.crash(self.worker);
                pending::<()>().await;
            }
            sleep_until(end.min(Instant::now() + BEAT)).await;
            if Instant::now() >= end {
                return Ok(true);
            }
            let epochs = self.held.iter().map(|&(_, epoch)| epoch).collect();
            if let Reply::Gone(gone) = self.ask(&Request::Heartbeat { worker: self.worker, epochs }).await? {
                self.held.retain(|(_, epoch)| !gone.contains(epoch));
            }
            if !self.held.iter().any(|&(_, other)| other == epoch) {
                return Ok(false);
            }
        }
    }

    async fn drain(&mut self) -> io::Result<()> {
        let worker = self.worker;
        let mut epochs: Vec<u64> = self.held.drain(..).map(|(_, epoch)| epoch).collect();
        // Leaving gives back what was not given back before.
        epochs.pop();
        self.ask(&Request::Release { worker, epochs }).await?;
        self.ask(&Request::Leave { worker }).await?;
        sleep(Duration::from_secs(5)).await;
        self.register().await
    }

    async fn deliver(&mut self, task: u64, epoch: u64) -> io::Result<()> {
        let (value, sum) = match self.shared.scenario.workers[self.worker as usize].nature {
            Nature::Honest => (right(task), check(right(task))),
            Nature::Corrupt => (right(task), !check(right(task))),
            Nature::Wrong => (!right(task), check(!right(task))),
        };
        let request = Request::Deliver { worker: self.worker, task, epoch, value, check: sum };
        let there = matches!(self.ask(&request).await?, Reply::Delivered(true));
        if self.random.below(4) == 0 {
            // Once more, as if the answer had been lost; over a new connection, as if that had.
            if self.random.below(2) == 0 {
                self.connection = None;
            }
            let still = matches!(self.ask(&request).await?, Reply::Delivered(true));
            if there && !still {
                self.shared
                    .watch
                    .borrow_mut()
                    .faults
                    .push(format!("the result of {task} was there and is not any more"));
            }
        }
        Ok(())
    }

    /// The answer, however often the question must be asked.
    async fn ask(&mut self, request: &Request) -> io::Result<Reply> {
        let mut pause = 200;
        loop {
            if let Ok(Ok(reply)) = timeout(PATIENCE, self.try_ask(request)).await {
                return Ok(reply);
            }
            self.connection = None;
            sleep(self.random.millis(pause / 2, pause)).await;
            pause = (2 * pause).min(4_000);
        }
    }

    async fn try_ask(&mut self, request: &Request) -> io::Result<Reply> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => TcpStream::connect(("coordinator", PORT)).await?,
        };
        let connection = self.connection.insert(connection);
        send(connection, &request.words()).await?;
        Reply::parse(&receive(connection).await?).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}
