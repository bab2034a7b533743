//! How fast positions of a finished game are answered: in the process, and by a coordinator in batches.
//!
//! `cargo bench -p antichain-coordinator --bench query` values the game on `boolean:6` first; with `ANTICHAIN_QUERY_DATA` it
//! takes a data directory in which `grundy` of `ANTICHAIN_QUERY_POSET` (`boolean:7`) is finished, and opens it as a
//! coordinator does. Positions are grown at random. Each line says how many were answered in a second and what one took:
//! the first time, when tables are read from files, and again.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use antichain_common::ideal::Element;
use antichain_common::job::{Interrupt, QueryTables, Question, RunOptions, SizeLimits, query_with, run};
use antichain_common::poset::{Poset, format_position, parse_position};
use antichain_common::store::Store;
use antichain_coordinator::desk::Desk;
use antichain_coordinator::ledger::Settings;
use antichain_coordinator::server::{Bound, Listen};
use antichain_proto::connect::{Target, connect};
use antichain_proto::limits::MESSAGE_BYTES;
use antichain_proto::rights::Tokens;
use antichain_proto::token::Token;
use antichain_proto::url::CoordinatorUrl;
use antichain_proto::v1;
use antichain_proto::v1::values_client::ValuesClient;
use tokio::runtime::{Builder, Runtime};

/// Positions that are asked for.
const POSITIONS: usize = 20_000;
/// Positions in a batch.
const BATCH: usize = 1_000;
/// Memory for tables and searches.
const MEMORY: u64 = 1 << 30;

fn main() {
    let made = tempfile::tempdir().expect("a directory");
    let given = std::env::var_os("ANTICHAIN_QUERY_DATA");
    let poset = match &given {
        Some(_) => std::env::var("ANTICHAIN_QUERY_POSET").unwrap_or_else(|_| "boolean:7".to_owned()),
        None => "boolean:6".to_owned(),
    };
    let poset: Poset = poset.parse().expect("a poset");
    let data = given.as_deref().map_or(made.path(), Path::new);
    let store = Store::open(data).expect("a data directory");
    if given.is_none() {
        value(&store, &poset);
    }
    let positions = random_positions(&poset);
    in_process(&store, &poset, &positions);
    let desk = Desk::open(store, Settings::default()).expect("a desk");
    over_the_network(desk, &poset, &positions);
}

fn value(store: &Store, poset: &Poset) {
    let interrupt = Interrupt::new();
    let options = RunOptions {
        threads: 2,
        memory: MEMORY,
        checkpoint: Duration::MAX,
        keep_values: true,
        interrupt: &interrupt,
        progress: &|_| {},
    };
    run(store, Question::Grundy, poset, SizeLimits::NONE, &options).expect("an answer");
}

/// Positions of random sizes, as text (splitmix64 from a fixed seed).
fn random_positions(poset: &Poset) -> Vec<String> {
    let mut state = 7u64;
    let mut below = move |bound: usize| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    };
    let grow = |_| {
        let mut is_in = vec![false; poset.len()];
        for _ in 0..below(poset.len() + 1) {
            let covers_are_in = |x: &usize| poset.lower_covers(*x).iter().all(|&y| is_in[usize::from(y)]);
            let addable: Vec<Element> = (0..poset.len()).filter(|&x| !is_in[x]).filter(covers_are_in).collect();
            is_in[addable[below(addable.len())]] = true;
        }
        let members: Vec<Element> = (0..poset.len()).filter(|&x| is_in[x]).collect();
        format_position(poset, &members)
    };
    (0..POSITIONS).map(grow).collect()
}

/// Asks for all positions, batch by batch, and prints what that took.
fn measure(title: &str, positions: &[String], mut answer: impl FnMut(&[String]) -> usize) {
    let start = Instant::now();
    let answered: usize = positions.chunks(BATCH).map(&mut answer).sum();
    assert_eq!(answered, positions.len());
    let seconds = start.elapsed().as_secs_f64();
    let each = seconds / answered as f64;
    println!("{title:<32} {:>9.0} positions/s {:>8.2} us each", 1.0 / each, 1e6 * each);
}

fn in_process(store: &Store, poset: &Poset, positions: &[String]) {
    let mut tables = QueryTables::default();
    for title in ["in the process, first", "in the process, again"] {
        measure(title, positions, |batch| {
            let parsed: Vec<_> = batch
                .iter()
                .map(|text| (text.clone(), parse_position(poset, text).expect("a position").members))
                .collect();
            query_with(&mut tables, Some(store), Question::Grundy, poset, (&parsed, false), MEMORY)
                .expect("stored")
                .len()
        });
    }
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

fn over_the_network(desk: Arc<Desk>, poset: &Poset, positions: &[String]) {
    let (serving, asking) = (runtime(), runtime());
    let token = Token::random().expect("a token");
    let listen = Listen::plain(([127, 0, 0, 1], 0).into(), Tokens::of_owner(token.clone()));
    let bound = serving.block_on(Bound::new(listen)).expect("a port");
    let url = CoordinatorUrl::new(false, "127.0.0.1", bound.address().port());
    serving.spawn(bound.serve(desk, std::future::pending()));
    let target = Target { token: Some(token), ..Target::new(url) };
    let connection = asking.block_on(connect(&target)).expect("a connection");
    let mut client = ValuesClient::new(connection).max_decoding_message_size(MESSAGE_BYTES);
    let spec = v1::JobSpec {
        question: "grundy".to_owned(),
        poset: poset.name(),
        min_elements: 0,
        max_elements: None,
        position: None,
        sampling: None,
    };
    for title in ["over the network, first", "over the network, again"] {
        measure(title, positions, |batch| {
            let request = v1::QueryRequest { spec: Some(spec.clone()), positions: batch.to_vec(), canonical: false };
            asking.block_on(client.query(request)).expect("an answer").into_inner().values.len()
        });
    }
    serving.shutdown_background();
}
