//! Log lines on standard error.

use std::io;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;
#[cfg(feature = "otel")]
use tracing_subscriber::{layer::SubscriberExt, util::SubscriberInitExt};

use crate::args::{Global, LogFormat};
use crate::output;
use crate::progress;
#[cfg(feature = "otel")]
use crate::traces::Traces;

/// What a process sends elsewhere besides, as long as this is kept.
#[must_use]
pub struct Logging {
    #[cfg(feature = "otel")]
    _traces: Option<Traces>,
}

/// Starts logging as the options and `RUST_LOG` say; with the feature `otel` spans are sent in the name of `service`.
#[cfg_attr(not(feature = "otel"), expect(unused_variables, reason = "lines have no name of a service"))]
pub fn start(options: &Global, service: &'static str) -> Logging {
    let wanted = std::env::var(EnvFilter::DEFAULT_ENV).ok().filter(|text| !text.is_empty());
    let (filter, refused) = match wanted.as_deref().map(EnvFilter::try_new) {
        Some(Ok(filter)) => (filter, None),
        Some(Err(error)) => (EnvFilter::new(by_verbosity(options.verbose)), Some(error)),
        None => (EnvFilter::new(by_verbosity(options.verbose)), None),
    };
    // Complaining about a closed standard error on standard error would end the program.
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(AboveTheBar).log_internal_errors(false);
    #[cfg(feature = "otel")]
    let (traces, unsent) = match Traces::start(service) {
        Ok(traces) => (traces, None),
        Err(reason) => (None, Some(reason)),
    };
    #[cfg(feature = "otel")]
    macro_rules! begin {
        ($lines:expr) => {
            $lines.finish().with(traces.as_ref().map(Traces::layer)).init()
        };
    }
    #[cfg(not(feature = "otel"))]
    macro_rules! begin {
        ($lines:expr) => {
            $lines.init()
        };
    }
    match options.log_format {
        LogFormat::Pretty => begin!(lines.compact().with_target(options.verbose > 0).with_ansi(ansi())),
        LogFormat::Json => begin!(lines.json()),
    }
    if let Some(error) = refused {
        output::warning(options.json, &format!("RUST_LOG is not understood and not used: {error}"));
    }
    #[cfg(feature = "otel")]
    if let Some(reason) = unsent {
        output::warning(options.json, &format!("no spans are sent: {reason}"));
    }
    Logging {
        #[cfg(feature = "otel")]
        _traces: traces,
    }
}

/// Quiet libraries, news of our own; with `-v` more.
fn by_verbosity(verbose: u8) -> &'static str {
    match verbose {
        0 => "warn,antichain=info,antichain_common=warn",
        1 => "warn,antichain=debug",
        _ => "info,antichain=trace",
    }
}

/// Colours only for people.
fn ansi() -> bool {
    use io::IsTerminal;
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Standard error, with the progress bar out of the way while a line is written.
struct AboveTheBar;

impl<'a> MakeWriter<'a> for AboveTheBar {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self
    }
}

impl io::Write for AboveTheBar {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        progress::screen().suspend(|| io::stderr().write_all(bytes))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
