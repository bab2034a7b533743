//! Following a job to its end, through absences of the coordinator.

use std::time::Duration;

use antichain_proto::v1::JobStatus;

use super::job::has_ended;
use super::{Remote, RemoteError, place};
use crate::args::Global;
use crate::failure::Failure;
use crate::{interrupt, output};

/// Time before the first attempt to reach a coordinator again; it doubles with every attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(250);

/// Time between two attempts, at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Attempts at which a wrong token may still be the old one: a coordinator that starts again writes a new one.
const PATIENCE_WITH_TOKENS: u32 = 5;

/// Tells `news` where the job stands, whenever that changes, until it ends; gives the last of it.
///
/// A coordinator that has answered once and goes away is waited for, as long as it takes. From the first news on an
/// interruption says that the job goes on.
///
/// # Errors
/// What `news` gives, and [`RemoteError`] but for absences.
pub fn follow(
    global: &Global,
    remote: &mut Remote,
    job: &str,
    mut news: impl FnMut(&JobStatus) -> anyhow::Result<()>,
) -> anyhow::Result<JobStatus> {
    let mut absence = Absence::default();
    loop {
        let error = match listen(global, remote, job, &mut absence, &mut news)? {
            Ok(last) => return Ok(last),
            Err(error) => error,
        };
        if !remote.answered.get() {
            return Err(error.into());
        }
        absence.begin(global, error)?;
        loop {
            std::thread::sleep(absence.pause());
            // Its address and token may be others now.
            match place::target(global).map(Remote::connect) {
                Ok(Ok(again)) => {
                    again.answered.set(true);
                    *remote = again;
                    break;
                }
                Ok(Err(error)) => absence.begin(global, error)?,
                // It takes its access file away when it ends.
                Err(error) => tracing::debug!("{error}"),
            }
        }
    }
}

/// Passes on what the coordinator says until the job ends, or why it stopped saying anything.
fn listen(
    global: &Global,
    remote: &Remote,
    job: &str,
    absence: &mut Absence,
    news: &mut impl FnMut(&JobStatus) -> anyhow::Result<()>,
) -> anyhow::Result<Result<JobStatus, RemoteError>> {
    let mut stream = match remote.watch(job) {
        Ok(stream) => stream,
        Err(error) => return Ok(Err(error)),
    };
    loop {
        match remote.news(job, &mut stream) {
            Ok(Some(status)) => {
                absence.end();
                interrupt::say_farewell(Failure::left_running(job), global.json);
                news(&status)?;
                if has_ended(&status) {
                    return Ok(Ok(status));
                }
            }
            Ok(None) => return Ok(Err(RemoteError::BrokeOff { url: remote.target.url.clone() })),
            Err(error) => return Ok(Err(error)),
        }
    }
}

/// Since when, in attempts, the coordinator is away.
#[derive(Debug, Default)]
struct Absence {
    attempts: u32,
}

impl Absence {
    /// It does not answer, or not as it should. Says so once; an error that waiting does not mend is given back.
    fn begin(&mut self, global: &Global, error: RemoteError) -> Result<(), RemoteError> {
        let passing = error.is_away() || (error.is_about_the_token() && self.attempts < PATIENCE_WITH_TOKENS);
        if !passing {
            return Err(error);
        }
        if self.attempts == 0 {
            output::warning(global.json, &format!("the coordinator is away ({error}); waiting until it is back"));
        }
        Ok(())
    }

    /// How long to wait until the next attempt.
    fn pause(&mut self) -> Duration {
        let pause = FIRST_PAUSE.saturating_mul(2u32.saturating_pow(self.attempts)).min(LONGEST_PAUSE);
        self.attempts = self.attempts.saturating_add(1);
        pause
    }

    /// It answers.
    fn end(&mut self) {
        if self.attempts > 0 {
            tracing::info!("the coordinator is back");
        }
        self.attempts = 0;
    }
}
