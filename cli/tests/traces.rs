//! Spans for OpenTelemetry, as a collector gets them. Only with the feature: `cargo test -p antichain --features otel --test traces`.
#![cfg(feature = "otel")]

#[path = "support/cluster.rs"]
mod cluster;
mod support;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cluster::{Cluster, PATIENCE, within_time};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use rustix::process::Signal;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// A service, a span of it, and the names of what is said of that.
type Seen = Arc<Mutex<BTreeSet<(String, String, Vec<String>)>>>;

struct Collector(Seen);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        for spans in request.into_inner().resource_spans {
            let about = format!("{:?}", spans.resource);
            let service = ["antichain-coordinator", "antichain-worker"].into_iter().find(|name| about.contains(name));
            for span in spans.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                let names = span.attributes.into_iter().map(|attribute| attribute.key).collect();
                let seen = (service.unwrap_or_default().to_owned(), span.name, names);
                self.0.lock().expect("no panic").insert(seen);
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[test]
fn a_collector_sees_tasks_and_steps() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
    let seen = Seen::default();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("bound");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    let collector = TraceServiceServer::new(Collector(seen.clone()));
    runtime.spawn(
        tonic::transport::Server::builder()
            .add_service(collector)
            .serve_with_incoming(TcpListenerStream::new(listener)),
    );
    let mut cluster = Cluster::stopped("15s");
    let mut command = cluster.coordinator_command();
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint);
    cluster.start_coordinator_as(command);
    let mut command = cluster.worker_command(&[]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint);
    let mut worker = cluster.worker_as(command);
    let job = cluster.submit("extensions chains:5x4x4");
    cluster.expect_answer(&job, "extensions chains:5x4x4");
    let has = |service: &str, name: &str, field: &str| {
        let seen = seen.lock().expect("no panic");
        seen.iter().any(|(of, span, fields)| of == service && span == name && fields.iter().any(|key| key == field))
    };
    let all = || has("antichain-worker", "task", "shard") && has("antichain-coordinator", "step", "job");
    assert!(within_time(PATIENCE, || all().then_some(())).is_some(), "{seen:?}");
    // Whoever listens no more holds up nobody.
    drop(runtime);
    worker.signal(Signal::TERM);
    assert_eq!(worker.exit_code(Duration::from_secs(20)), Some(0), "{}", worker.log_text());
}
