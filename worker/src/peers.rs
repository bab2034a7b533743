//! Workers that fetch from one another: what this one made, others can have from it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::ops::Range;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use antichain_common::store::BlockImage;
use antichain_proto::connect::{Connection, PEER_TLS, Target, WORKER_NAME, connect};
use antichain_proto::limits::{CHUNK_BYTES, CONNECTION_WINDOW, FRAME_BYTES, MESSAGE_BYTES, STREAM_WINDOW};
use antichain_proto::token::{Token, shown_in};
use antichain_proto::url::CoordinatorUrl;
use antichain_proto::v1;
use antichain_proto::v1::tables_client::TablesClient;
use antichain_proto::v1::tables_server::{Tables, TablesServer};
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio_stream::Stream;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Server, ServerTlsConfig};
use tonic::{Request, Response, Status};

use crate::error::WorkerError;
use crate::fetch::Place;
use crate::made::Made;
use crate::session::Session;

/// Connections to other workers, each with what it shows.
pub struct Peers {
    target: Target,
    session: Arc<Session>,
    clients: Mutex<HashMap<String, (Token, Connection)>>,
}

impl Peers {
    /// None yet; who vouches for them vouches for the coordinator, too.
    pub fn new(target: Target, session: Arc<Session>) -> Self {
        Self { target, session, clients: Mutex::default() }
    }

    /// A client of the worker at an address.
    ///
    /// # Errors
    /// A status, as of a call that failed, if it cannot be reached.
    pub async fn client(&self, address: &str) -> Result<TablesClient<Connection>, Status> {
        let token = self.session.peer_token().ok_or_else(|| Status::unavailable("it has not registered"))?;
        let known = self.clients.lock().unwrap_or_else(PoisonError::into_inner).get(address).cloned();
        let connection = match known {
            Some((shown, connection)) if shown == token => connection,
            _ => {
                let unusable = |reason: String| Status::unavailable(format!("worker {address}: {reason}"));
                let (is_tls, at) = match address.strip_prefix(PEER_TLS) {
                    Some(at) => (true, at),
                    None => (false, address),
                };
                let at: SocketAddr = at.parse().map_err(|_| unusable("no address".to_owned()))?;
                if !is_tls && self.target.url.is_tls() && !at.ip().is_loopback() {
                    return Err(unusable("it speaks no TLS, so it does not learn the token".to_owned()));
                }
                let url = CoordinatorUrl::new(is_tls, at.ip().to_string(), at.port());
                let (server_name, shown) = (Some(WORKER_NAME), Some(token.clone()));
                let target = Target { url, server_name, token: shown, ..self.target.clone() };
                let connection = connect(&target).await.map_err(|error| unusable(error.to_string()))?;
                let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
                clients.insert(address.to_owned(), (token, connection.clone()));
                connection
            }
        };
        Ok(TablesClient::new(connection).max_decoding_message_size(MESSAGE_BYTES))
    }
}

/// Gives other workers what this one made.
struct Service(Arc<Made>);

#[tonic::async_trait]
impl Tables for Service {
    async fn layer(&self, _: Request<v1::LayerRequest>) -> Result<Response<v1::LayerReply>, Status> {
        Err(Status::unavailable("only the coordinator knows how layers are cut"))
    }

    type FetchStream = Pin<Box<dyn Stream<Item = Result<v1::FetchReply, Status>> + Send>>;

    async fn fetch(&self, request: Request<v1::FetchRequest>) -> Result<Response<Self::FetchStream>, Status> {
        let request = request.into_inner();
        let (kind, layer, shard) = (request.kind(), request.layer as usize, request.shard as usize);
        let place = Place { job: request.job, kind, layer, shard };
        // Whoever asks goes to the coordinator then.
        let image = self
            .0
            .get(&place, &request.digest)
            .ok_or_else(|| Status::unavailable("not here any more, or another one"))?;
        let mut ranges = Vec::new();
        for range in &request.blocks {
            let first = range.first as usize;
            let end = first.checked_add(range.count as usize).filter(|&end| end <= image.head.len());
            ranges.push(first..end.ok_or_else(|| Status::out_of_range("no such blocks"))?);
        }
        let parts = chunks(&image, ranges).map(|(first, count, bytes)| {
            let blocks = v1::Blocks { first, count, stored: Bytes::from(bytes) };
            Ok(v1::FetchReply { part: Some(v1::fetch_reply::Part::Blocks(blocks)) })
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(parts.collect::<Vec<_>>()))))
    }
}

/// Blocks of an image by the mebibyte: the first, how many, their bytes.
fn chunks(image: &BlockImage, ranges: Vec<Range<usize>>) -> impl Iterator<Item = (u32, u32, Vec<u8>)> {
    let mut chunks: Vec<(u32, u32, Vec<u8>)> = Vec::new();
    for range in ranges {
        let mut is_new = true;
        for number in range {
            let meta = image.head.meta(number);
            let stored = &image.bytes[meta.offset as usize..][..meta.stored_bytes as usize];
            match chunks.last_mut().filter(|_| !is_new) {
                Some((_, count, bytes)) if bytes.len() + stored.len() <= CHUNK_BYTES => {
                    *count += 1;
                    bytes.extend_from_slice(stored);
                }
                _ => chunks.push((number as u32, 1, stored.to_vec())),
            }
            is_new = false;
        }
    }
    chunks.into_iter()
}

/// Listens for other workers, and serves them in the background, over TLS if this worker has something to show. Returns where, as
/// others are told.
///
/// # Errors
/// [`WorkerError::Listen`], [`WorkerError::Identity`].
pub async fn serve(
    address: SocketAddr,
    target: &Target,
    session: Arc<Session>,
    made: Arc<Made>,
) -> Result<String, WorkerError> {
    let failed = |source| WorkerError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let check = move |request: Request<()>| {
        let shown = shown_in(request.metadata());
        match session.peer_token().zip(shown) {
            Some((token, shown)) if token.is(shown) => Ok(request),
            _ => Err(Status::unauthenticated("this is no worker of the same coordinator")),
        }
    };
    let tables = TablesServer::new(Service(made)).max_decoding_message_size(MESSAGE_BYTES);
    let mut server = Server::builder();
    if let Some(identity) = &target.identity {
        let tls = ServerTlsConfig::new().identity(identity.into());
        server = server.tls_config(tls).map_err(|_| WorkerError::Identity)?;
    }
    let server = server
        .tcp_nodelay(true)
        .max_frame_size(FRAME_BYTES)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .add_service(InterceptedService::new(tables, check))
        .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)));
    tokio::spawn(async move {
        if let Err(error) = server.await {
            tracing::warn!("other workers cannot fetch from here any more: {error}");
        }
    });
    Ok(if target.identity.is_some() { format!("{PEER_TLS}{bound}") } else { bound.to_string() })
}

#[cfg(test)]
mod tests {
    use antichain_common::store::{ShardKind, values_image};
    use tokio_stream::StreamExt;

    use super::*;

    #[tokio::test]
    async fn a_worker_gives_no_other_file_than_the_one_that_is_wanted() {
        let image = |width| values_image(ShardKind::Values, width, &vec![3; 40_000]).expect("an image");
        // The shard was made with one limb, and its layer became wider.
        let (made, recorded) = (Arc::new(Made::new(1 << 20, true)), image(2));
        let narrow = image(1);
        let place = Place { job: "job".into(), kind: v1::FileKind::Values, layer: 5, shard: 0 };
        made.put(place, Arc::new(narrow.clone()));
        let request = |digest: [u8; 32]| v1::FetchRequest {
            job: "job".into(),
            kind: v1::FileKind::Values.into(),
            layer: 5,
            blocks: vec![v1::BlockRange { first: 1, count: 2 }],
            digest: Bytes::copy_from_slice(&digest),
            ..Default::default()
        };
        let service = Service(made);
        let refused = service.fetch(Request::new(request(recorded.head.file_digest()))).await;
        assert_eq!(refused.err().map(|status| status.code()), Some(tonic::Code::Unavailable));
        let given = service.fetch(Request::new(request(narrow.head.file_digest()))).await.expect("given");
        let mut stored = Vec::new();
        let mut parts = given.into_inner();
        while let Some(part) = parts.next().await {
            if let Some(v1::fetch_reply::Part::Blocks(blocks)) = part.expect("a part").part {
                stored.extend_from_slice(&blocks.stored);
            }
        }
        let wanted: usize = narrow.head.metas()[1..3].iter().map(|meta| meta.stored_bytes as usize).sum();
        assert_eq!(stored.len(), wanted);
    }
}
