//! Hostile messages: whatever comes for whatever method, a coordinator answers, does not panic, and goes on serving others.
//!
//! Methods and the fields of their messages are taken from the descriptors, so that what is added later is tried too. Messages are
//! made in three ways: of fields as they are declared, with extreme and with plausible values; of the same with bytes changed; and of
//! any bytes at all.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use antichain_common::store::Store;
use antichain_coordinator::desk::Desk;
use antichain_coordinator::ledger::Settings;
use antichain_coordinator::server::{Bound, Listen};
use antichain_proto::rights::Tokens;
use antichain_proto::v1::jobs_client::JobsClient;
use antichain_proto::v1::work_client::WorkClient;
use antichain_proto::{DESCRIPTORS, ENGINE, PROTOCOL, v1};
use bytes::{Buf, BufMut, Bytes};
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};
use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};
use tokio_stream::StreamExt;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

/// Messages for each method: a few seconds in all.
const MESSAGES: usize = 300;
/// How long a method may think. Those that wait on purpose are cut off.
const PATIENCE: Duration = Duration::from_millis(150);

/// Numbers that follow from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Bytes as they are.
#[derive(Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn encode(&mut self, item: Bytes, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}

/// Words that mean something to somebody.
const WORDS: [&str; 16] = [
    "",
    "extensions",
    "grundy",
    "outcome",
    "estimate",
    "ruler",
    "boolean:4",
    "boolean:7",
    "chains:3x3",
    "partitions:9",
    "extensions-boolean-4",
    "../../etc/passwd",
    "01 23",
    "boolean:99999999999999999999",
    "\u{0}\n\u{202e}",
    "file:/dev/zero",
];

/// Makes messages by their descriptors.
struct Maker {
    files: FileDescriptorSet,
    numbers: Numbers,
    /// Numbers that mean something: of a worker, its task, its lease.
    known: Vec<u64>,
}

impl Maker {
    fn message(&self, name: &str) -> Option<&DescriptorProto> {
        let name = name.rsplit('.').next()?;
        self.files.file.iter().flat_map(|file| &file.message_type).find(|message| message.name() == name)
    }

    /// A message of a type, with every field there about every other time.
    fn make(&mut self, name: &str, depth: usize) -> Vec<u8> {
        let fields = self.message(name).map(|message| message.field.clone()).unwrap_or_default();
        let mut bytes = Vec::new();
        for field in fields {
            // Some repeated ones often, and some single ones twice.
            for _ in
                0..self.numbers.one_of(&[&0, &1, &1, &1, &2, &40]).min(if depth == 0 { &40 } else { &2 }).to_owned()
            {
                self.put(&field, depth, &mut bytes);
            }
        }
        bytes
    }

    fn put(&mut self, field: &FieldDescriptorProto, depth: usize, bytes: &mut Vec<u8>) {
        let number = field.number() as u32;
        let extreme = *self.numbers.one_of(&[&0, &1, &2, &7, &255, &65_536, &(u32::MAX as u64), &u64::MAX, &(1 << 63)]);
        let extreme = match self.numbers.below(2 * self.known.len()) {
            known if known < self.known.len() => self.known[known],
            _ => extreme,
        };
        match field.r#type() {
            Type::Double | Type::Fixed64 | Type::Sfixed64 => {
                encode_key(number, WireType::SixtyFourBit, bytes);
                let value = self.numbers.one_of(&[&f64::NAN, &f64::INFINITY, &-1.0, &0.0, &1e300]).to_bits();
                bytes.extend(if extreme == 7 { extreme } else { value }.to_le_bytes());
            }
            Type::Float | Type::Fixed32 | Type::Sfixed32 => {
                encode_key(number, WireType::ThirtyTwoBit, bytes);
                bytes.extend((extreme as u32).to_le_bytes());
            }
            Type::String => {
                let word = self.numbers.one_of(&WORDS);
                self.put_bytes(number, word.as_bytes(), bytes);
            }
            Type::Bytes => {
                let length = *self.numbers.one_of(&[&0, &1, &8, &32, &44, &4096]);
                let some: Vec<u8> = (0..length).map(|_| self.numbers.next() as u8).collect();
                self.put_bytes(number, &some, bytes);
            }
            Type::Message if depth < 4 => {
                let inner = self.make(field.type_name(), depth + 1);
                self.put_bytes(number, &inner, bytes);
            }
            _ => {
                encode_key(number, WireType::Varint, bytes);
                encode_varint(extreme, bytes);
            }
        }
    }

    fn put_bytes(&mut self, number: u32, value: &[u8], bytes: &mut Vec<u8>) {
        encode_key(number, WireType::LengthDelimited, bytes);
        encode_varint(value.len() as u64, bytes);
        bytes.extend_from_slice(value);
    }

    /// The next message for a method.
    fn next(&mut self, name: &str) -> Bytes {
        let mut bytes = self.make(name, 0);
        match self.numbers.below(4) {
            0 if !bytes.is_empty() => {
                let at = self.numbers.below(bytes.len());
                bytes[at] ^= 1 << self.numbers.below(8);
            }
            1 => bytes = (0..self.numbers.below(200)).map(|_| self.numbers.next() as u8).collect(),
            _ => {}
        }
        bytes.into()
    }
}

/// A method: its path, the type of its messages, and whether it takes a stream of them.
struct Method {
    path: String,
    input: String,
    takes_stream: bool,
}

fn methods(files: &FileDescriptorSet) -> Vec<Method> {
    let mut methods = Vec::new();
    for file in &files.file {
        for service in &file.service {
            methods.extend(service.method.iter().map(|method| Method {
                path: format!("/{}.{}/{}", file.package(), service.name(), method.name()),
                input: method.input_type().to_owned(),
                takes_stream: method.client_streaming(),
            }));
        }
    }
    methods
}

async fn call(channel: Channel, path: String, messages: Vec<Bytes>) -> Result<(), Status> {
    let mut grpc = Grpc::new(channel);
    grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
    let path = path.parse().expect("a path");
    // As the client of a stream: that fits methods of all four kinds.
    let stream = tokio_stream::iter(messages);
    let mut replies = grpc.streaming(Request::new(stream), path, Raw).await?.into_inner();
    let mut most = 20;
    while most > 0 && replies.next().await.transpose()?.is_some() {
        most -= 1;
    }
    Ok(())
}

#[test]
fn no_message_brings_a_coordinator_down() {
    static PANICS: AtomicUsize = AtomicUsize::new(0);
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        shown(panic);
    }));
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&folder.path().join("data")).expect("opened");
    let desk = Desk::open(store, Settings::default()).expect("opened");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let files = FileDescriptorSet::decode(DESCRIPTORS).expect("descriptors");
    let methods = methods(&files);
    assert!(methods.len() > 20, "{}", methods.len());
    let seed = std::env::var("ANTICHAIN_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut maker = Maker { files, numbers: Numbers(seed), known: Vec::new() };
    runtime.block_on(async {
        let listen = Listen::plain(([127, 0, 0, 1], 0).into(), Tokens::default());
        let bound = Bound::new(listen).await.expect("bound");
        let address = bound.address();
        let serving = tokio::spawn(bound.serve(desk.clone(), std::future::pending()));
        let channel =
            Endpoint::from_shared(format!("http://{address}")).expect("an address").connect().await.expect("connected");
        maker.known = worker(channel.clone()).await;
        let mut answers = std::collections::BTreeMap::<String, usize>::new();
        for method in &methods {
            for _ in 0..MESSAGES / 10 {
                // Beside one another, as hostile clients are.
                let calls: Vec<_> = (0..10)
                    .map(|_| {
                        let count = if method.takes_stream { maker.numbers.below(4) } else { 1 };
                        let messages = (0..count).map(|_| maker.next(&method.input)).collect();
                        tokio::time::timeout(PATIENCE, call(channel.clone(), method.path.clone(), messages))
                    })
                    .collect();
                for result in futures(calls).await {
                    let answer = match result {
                        Err(_) => "waits".to_owned(),
                        Ok(Ok(())) => "answered".to_owned(),
                        Ok(Err(status)) => {
                            assert!(
                                !matches!(status.code(), Code::Unknown | Code::DataLoss),
                                "{} seed {seed}: {status:?}",
                                method.path
                            );
                            format!("{:?}", status.code())
                        }
                    };
                    *answers.entry(answer).or_default() += 1;
                }
            }
        }
        println!("seed {seed}: {answers:?}");
        assert!(!serving.is_finished(), "it serves no more");
        // Others are served as ever.
        JobsClient::new(channel).list(v1::ListRequest {}).await.expect("a list");
    });
    assert_eq!(PANICS.load(Ordering::Relaxed), 0, "seed {seed}");
    let outside = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(outside, 1, "nothing was written beside the data directory");
    // Plans of large jobs that nobody waits for any more.
    runtime.shutdown_background();
}

/// Somebody who works: the numbers of the worker, of its task, and of its lease.
async fn worker(channel: Channel) -> Vec<u64> {
    let mut jobs = JobsClient::new(channel.clone());
    let spec = v1::JobSpec { question: "extensions".into(), poset: "boolean:4".into(), ..Default::default() };
    jobs.submit(v1::SubmitRequest { spec: Some(spec), ..Default::default() }).await.expect("a job");
    let mut work = WorkClient::new(channel);
    let request = v1::RegisterRequest {
        protocol: PROTOCOL,
        engine: ENGINE.to_owned(),
        threads: 1,
        memory: 1 << 30,
        instance: 7,
        ..Default::default()
    };
    let worker = work.register(request).await.expect("registered").into_inner().worker;
    let request = v1::AcquireRequest { worker, most: 4, wait_millis: 5000 };
    let leases = work.acquire(request).await.expect("an answer").into_inner().leases;
    assert!(!leases.is_empty(), "a task");
    leases.iter().flat_map(|lease| [worker, lease.task, lease.epoch]).collect()
}

/// The results of futures that go on beside one another.
async fn futures<T: Send + 'static>(all: Vec<impl Future<Output = T> + Send + 'static>) -> Vec<T> {
    let tasks: Vec<_> = all.into_iter().map(tokio::spawn).collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.expect("no panic"));
    }
    results
}
