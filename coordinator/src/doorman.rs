//! The doorman: looks at the token of every request, and at how often its address asks.

use std::sync::Arc;
use std::time::Instant;

use antichain_proto::rights::{Purpose, Right, Tokens};
use tonic::{Request, Status};

use crate::gate::{Caller, Counter};
use crate::meters::{Meters, Refusal, Service};

/// See the [module](self).
#[derive(Clone)]
pub struct Doorman {
    /// What opens what.
    pub tokens: Tokens,
    /// How often addresses ask.
    pub connections: Counter,
    /// What is counted.
    pub meters: Arc<Meters>,
}

impl Doorman {
    /// Lets requests pass that may use a service, with the right that they have; any right will do where there is none.
    pub fn at(
        &self,
        door: Option<(Service, Purpose)>,
    ) -> impl FnMut(Request<()>) -> Result<Request<()>, Status> + Clone + Send + Sync + 'static {
        let doorman = self.clone();
        move |mut request| {
            if let Some((service, _)) = door {
                doorman.meters.requests(service).count();
            }
            let refuse = |refusal, status| {
                doorman.meters.refused(refusal).count();
                Err(status)
            };
            let caller = Caller::of(&request);
            let may_ask = |caller: &Caller| doorman.connections.may_ask(caller.address.ip(), Instant::now());
            if !caller.as_ref().is_none_or(may_ask) {
                return refuse(Refusal::Rate, Status::resource_exhausted("too many requests from this address"));
            }
            let Some(right) = doorman.tokens.right_of(request.metadata()) else {
                return refuse(Refusal::Token, Status::unauthenticated("the token is missing or wrong"));
            };
            if door.is_some_and(|(_, purpose)| !right.covers(purpose)) {
                return refuse(Refusal::Rights, not_covered(right));
            }
            if let Some(caller) = caller {
                caller.welcome();
            }
            request.extensions_mut().insert(right);
            Ok(request)
        }
    }
}

/// Whether who makes a request may change jobs.
///
/// # Errors
/// `PERMISSION_DENIED` if not.
pub fn may_change<T>(request: &Request<T>) -> Result<(), Status> {
    match request.extensions().get::<Right>() {
        Some(right) if !right.covers(Purpose::Change) => Err(not_covered(*right)),
        // Nobody was asked: whoever calls the service is in this process.
        _ => Ok(()),
    }
}

fn not_covered(right: Right) -> Status {
    Status::permission_denied(match right {
        Right::Worker => "this token may work, and nothing else\nhint: show the owner's token, or a reader's to ask",
        Right::Reader => "this token may ask, and nothing else\nhint: show the owner's token, or a worker's to work",
        Right::Owner => "nobody may do that",
    })
}
