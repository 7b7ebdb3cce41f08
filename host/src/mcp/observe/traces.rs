//! Spans for OpenTelemetry: a request that came over HTTP, and the work of the filters on its answer.
//!
//! Owns the data about a call, and the export (OTLP over HTTP). Spans have names, outcomes, sizes and times, but
//! no arguments or texts. They wait in a queue of the SDK, which drops spans that a collector does not accept in
//! time: no call waits for the queue.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result};
use async_trait::async_trait;
use axum::body::Bytes;
use axum::http::{self, HeaderMap, StatusCode};
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{
    Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{HeaderExtractor, HeaderInjector, HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tokio::runtime::Handle;

use super::account::{Account, StepSum, beginning, bytes_of};
use crate::causes::root_cause;

/// How long a collector may take over a batch of spans.
const COLLECTOR_TIMEOUT: Duration = Duration::from_secs(5);

/// How long the last spans may take when the proxy ends.
const END_TIMEOUT: Duration = Duration::from_secs(3);

/// The destination of spans.
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

/// A request in progress. Its span ends with the last clone.
#[derive(Clone)]
pub struct Trace {
    /// The context with the span.
    context: Context,
    tracer: SdkTracer,
}

/// The parent for the spans of a request's answer. The request's own span may end before them.
pub struct ResultTrace {
    /// The context with the name of the request's span.
    context: Context,
    tracer: SdkTracer,
}

impl Traces {
    /// Sends spans to this URL of a collector; without a path, to `/v1/traces` there. The other variables
    /// `OTEL_…` of the environment apply too, such as headers and the sampler.
    ///
    /// # Errors
    ///
    /// The URL is invalid, or a variable has an invalid value.
    pub fn to(url: &str, client: reqwest::Client, runtime: Handle) -> Result<Traces> {
        let mut url: reqwest::Url = url.parse().context("it is not a URL")?;
        if url.path() == "/" {
            url.set_path("/v1/traces");
        }
        let collector = Collector {
            client,
            runtime,
            is_lost: AtomicBool::new(false),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(url.as_str())
            .with_http_client(collector)
            .build()?;
        let of_tamis = Resource::builder()
            .with_service_name("tamis")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(of_tamis.build())
            .build();
        let tracer = provider.tracer("tamis");
        Ok(Traces { provider, tracer })
    }

    /// Begins a request. If its `headers` name a caller's span (`traceparent`), that is the parent. `name`: of
    /// the tool or prompt. (The URI of a resource may contain the same data as an argument.)
    pub(in crate::mcp) fn begin(
        &self,
        server: &str,
        method: &str,
        name: Option<&str>,
        headers: &HeaderMap,
    ) -> Trace {
        let caller = TraceContextPropagator::new()
            .extract_with_context(&Context::new(), &HeaderExtractor(headers));
        let (method, name) = (beginning(method), name.map(beginning));
        let mut attributes = vec![
            KeyValue::new("mcp.method.name", method.to_owned()),
            KeyValue::new("tamis.server", server.to_owned()),
        ];
        let mut title = method.to_owned();
        if let Some(name) = name {
            let key = match method {
                "prompts/get" => "gen_ai.prompt.name",
                _ => "gen_ai.tool.name",
            };
            attributes.push(KeyValue::new(key, name.to_owned()));
            title = format!("{method} {name}");
        }
        let span = self
            .tracer
            .span_builder(title)
            .with_kind(SpanKind::Server)
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &caller);
        Trace {
            context: caller.with_span(span),
            tracer: self.tracer.clone(),
        }
    }

    /// Sends all spans that wait.
    pub fn close(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(END_TIMEOUT) {
            tracing::warn!("the last spans were not sent: {error}");
        }
    }
}

impl Trace {
    /// Writes the headers that tell the upstream the parent of its own spans.
    pub(in crate::mcp) fn write_to(&self, headers: &mut HeaderMap) {
        TraceContextPropagator::new().inject_context(&self.context, &mut HeaderInjector(headers));
    }

    /// Notes the upstream's answer.
    pub(in crate::mcp) fn answered(&self, status: StatusCode) {
        let span = self.context.span();
        let status = i64::from(status.as_u16());
        span.set_attribute(KeyValue::new("http.response.status_code", status));
    }

    /// Notes that no answer came.
    pub(in crate::mcp) fn failed(&self, why: &str) {
        self.context
            .span()
            .set_status(Status::error(why.to_owned()));
    }

    /// The trace for the request's answer.
    pub(in crate::mcp) fn of_result(&self) -> ResultTrace {
        let span = self.context.span().span_context().clone();
        ResultTrace {
            context: Context::new().with_remote_span_context(span),
            tracer: self.tracer.clone(),
        }
    }
}

impl ResultTrace {
    /// A chain ran on a result. The spans of its steps follow each other without gaps. Tamis's own time between
    /// them comes last.
    pub(super) fn filtered(&self, account: &Account<'_>) {
        let ended = SystemTime::now();
        let begun = ended - account.time;
        let chain = account.subject.chain;
        let span = self
            .tracer
            .span_builder(format!("chain {chain}"))
            .with_start_time(begun)
            .with_attributes([
                KeyValue::new("tamis.chain", chain.to_owned()),
                KeyValue::new("tamis.outcome", account.outcome()),
                size("tamis.bytes.before", bytes_of(&account.before)),
                size("tamis.bytes.after", bytes_of(&account.after)),
            ])
            .start_with_context(&self.tracer, &self.context);
        let within = self.context.with_span(span);
        let mut at = begun;
        for step in account.steps() {
            self.step(step, &within, at);
            at += step.time;
        }
        if account.filtered.withheld {
            within.span().set_status(Status::error("withheld"));
        }
        within.span().end_with_timestamp(ended);
    }

    fn step(&self, step: &StepSum<'_>, within: &Context, begun: SystemTime) {
        let mut span = self
            .tracer
            .span_builder(format!("filter {}", step.filter))
            .with_start_time(begun)
            .with_attributes([
                KeyValue::new("tamis.filter", step.filter.to_owned()),
                KeyValue::new("tamis.outcome", step.outcome),
                size("tamis.documents", step.documents),
                size("tamis.bytes.before", step.bytes_before),
                size("tamis.bytes.after", step.bytes_after),
            ])
            .start_with_context(&self.tracer, within);
        if step.has_failed {
            span.set_status(Status::error(step.outcome));
        }
        span.end_with_timestamp(begun + step.time);
    }
}

fn size(key: &'static str, bytes: usize) -> KeyValue {
    KeyValue::new(key, i64::try_from(bytes).unwrap_or(i64::MAX))
}

/// Sends spans with the existing client and threads.
#[derive(Debug)]
struct Collector {
    client: reqwest::Client,
    runtime: Handle,
    /// The operator knows that it does not take them.
    is_lost: AtomicBool,
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(
        &self,
        request: http::Request<Bytes>,
    ) -> Result<http::Response<Bytes>, HttpError> {
        let mut request = reqwest::Request::try_from(request)?;
        *request.timeout_mut() = Some(COLLECTOR_TIMEOUT);
        let (url, client) = (request.url().clone(), self.client.clone());
        let exchange = async move {
            let answer = client.execute(request).await?;
            let status = answer.status();
            Ok::<_, reqwest::Error>((status, answer.bytes().await?))
        };
        // The SDK's thread has no reactor of its own.
        let answer = self.runtime.spawn(exchange).await?;
        let why = match &answer {
            Ok((status, _)) if status.is_success() => None,
            Ok((status, _)) => Some(format!("it answers with {status}")),
            Err(error) => Some(root_cause(error)),
        };
        let was_lost = self.is_lost.swap(why.is_some(), Ordering::Relaxed);
        if let Some(why) = why.filter(|_| !was_lost) {
            tracing::warn!(%url, "the collector does not take spans, which are lost until it does: {why}");
        }
        let (status, body) = answer?;
        let mut answer = http::Response::new(body);
        *answer.status_mut() = status;
        Ok(answer)
    }
}
