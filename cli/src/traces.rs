//! Spans for OpenTelemetry, over OTLP: what this process did when, for those who collect that of many. Only with the feature `otel`,
//! and where `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` says where to send them.

use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio::runtime::Runtime;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

/// What is not sent by then, when the program ends, is lost.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Sends spans until it is dropped.
pub struct Traces {
    provider: SdkTracerProvider,
    /// The connection lives here: most commands have no runtime of their own.
    _runtime: Runtime,
}

impl Traces {
    /// For a service of this name; nothing if nobody wants spans.
    ///
    /// # Errors
    /// Why they cannot be sent, in words.
    pub fn start(service: &'static str) -> Result<Option<Self>, String> {
        let wanted = [OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT];
        if !wanted.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
            return Ok(None);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let exporter = {
            let _within = runtime.enter();
            SpanExporter::builder().with_tonic().build().map_err(|error| error.to_string())?
        };
        let about = Resource::builder().with_service_name(service).build();
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(about).build();
        Ok(Some(Self { provider, _runtime: runtime }))
    }

    /// What makes spans of those of `tracing`.
    pub fn layer<S: Subscriber + for<'s> LookupSpan<'s>>(&self) -> OpenTelemetryLayer<S, SdkTracer> {
        tracing_opentelemetry::layer().with_tracer(self.provider.tracer("antichain"))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // Nobody is there to tell that nobody listens.
        let _ = self.provider.shutdown_with_timeout(LAST_WORDS);
    }
}
