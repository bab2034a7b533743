//! Calls from threads that compute: they wait for the network, but not for longer than the worker lives.

use tokio::runtime::Handle;
use tokio::sync::watch;

/// See the head of this file.
#[derive(Clone)]
pub struct Calls {
    runtime: Handle,
    ends: watch::Receiver<bool>,
}

/// Ends all calls, once it is told to or dropped.
pub struct End(watch::Sender<bool>);

impl End {
    /// Nobody waits any more.
    pub fn now(&self) {
        self.0.send_replace(true);
    }
}

impl Calls {
    /// Calls on this runtime, and what ends them.
    pub fn new(runtime: Handle) -> (Self, End) {
        let (end, ends) = watch::channel(false);
        (Self { runtime, ends }, End(end))
    }

    /// Waits for what a call comes to; `None` if the worker ends before. A runtime that is gone cannot be waited for at all.
    pub fn wait<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        let mut ends = self.ends.clone();
        if *ends.borrow() {
            return None;
        }
        self.runtime.block_on(async {
            tokio::select! {
                done = call => Some(done),
                // An error says that it was dropped.
                _ = ends.wait_for(|ends| *ends) => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn nobody_waits_beyond_the_end() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let (calls, end) = Calls::new(runtime.handle().clone());
        assert_eq!(calls.wait(async { 7 }), Some(7));
        let waiting = calls.clone();
        let waits =
            std::thread::spawn(move || waiting.wait(async { tokio::time::sleep(Duration::from_secs(3600)).await }));
        std::thread::sleep(Duration::from_millis(50));
        end.now();
        assert_eq!(waits.join().expect("no panic"), None);
        runtime.shutdown_background();
        assert_eq!(calls.wait(async {}), None, "without a runtime");
    }
}
