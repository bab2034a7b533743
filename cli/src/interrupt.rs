//! Ctrl-C and SIGTERM.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::Poll;

use antichain_common::job::Interrupt;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;
use crate::{output, progress};

/// Exit code of an interrupted program: 128 + SIGINT.
pub const EXIT_CODE: u8 = 130;

static WISH: Interrupt = Interrupt::new();

/// What an interruption at once tells the user, once there is something.
static FAREWELL: Mutex<Option<(Failure, bool)>> = Mutex::new(None);

/// From here on the first Ctrl-C or SIGTERM asks the work to stop at its next safe point, the second ends the program.
pub fn stop_at_safe_point(json: bool) -> &'static Interrupt {
    static ASKED: AtomicBool = AtomicBool::new(false);
    install(move || {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
        WISH.request();
        if !json {
            output::note("stopping at the next safe point; once more to stop at once");
        }
    });
    &WISH
}

/// From here on the first Ctrl-C or SIGTERM ends the program: for commands whose work is short or changes nothing.
pub fn stop_at_once() {
    install(|| {
        if let Some((farewell, json)) = &*FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) {
            progress::leave_screen();
            farewell.report(*json);
        }
        std::process::exit(EXIT_CODE.into())
    });
}

/// From here on an interruption at once tells the user this.
pub fn say_farewell(farewell: Failure, json: bool) {
    *FAREWELL.lock().unwrap_or_else(PoisonError::into_inner) = Some((farewell, json));
}

/// Comes with the first Ctrl-C or SIGTERM; the second ends the program. Only within a runtime.
pub fn asked_to_stop() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    first_of(vec![SignalKind::interrupt(), SignalKind::terminate()])
}

/// The same for a worker, which SIGUSR1 stops too: some schedulers warn with it before they take a machine away.
pub fn asked_to_drain() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    first_of(vec![SignalKind::interrupt(), SignalKind::terminate(), SignalKind::user_defined1()])
}

fn first_of(kinds: Vec<SignalKind>) -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    let mut signals = kinds.into_iter().map(signal).collect::<std::io::Result<Vec<_>>>()?;
    Ok(async move {
        any_of(&mut signals).await;
        tokio::spawn(async move {
            any_of(&mut signals).await;
            std::process::exit(EXIT_CODE.into());
        });
    })
}

async fn any_of(signals: &mut [Signal]) {
    poll_fn(|context| {
        let came = |signal: &mut Signal| signal.poll_recv(context).is_ready();
        if signals.iter_mut().any(came) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

fn install(handler: impl FnMut() + Send + 'static) {
    if let Err(error) = ctrlc::set_handler(handler) {
        // The system's own handling stays: the program ends at once, and the store survives that by design.
        tracing::warn!("signals are not handled: {error}");
    }
}
