//! Ctrl-C and SIGTERM.

use std::sync::atomic::{AtomicBool, Ordering};

use antichain_common::job::Interrupt;

use crate::output;

/// Exit code of an interrupted program: 128 + SIGINT.
pub const EXIT_CODE: u8 = 130;

static WISH: Interrupt = Interrupt::new();

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
    install(|| std::process::exit(EXIT_CODE.into()));
}

fn install(handler: impl FnMut() + Send + 'static) {
    if let Err(error) = ctrlc::set_handler(handler) {
        // The system's own handling stays: the program ends at once, and the store survives that by design.
        tracing::warn!("signals are not handled: {error}");
    }
}
