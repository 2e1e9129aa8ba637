/** Spans of redirects, API calls and store operations. It needs only `@opentelemetry/api`. */
import {AsyncLocalStorage} from 'node:async_hooks';
import {subscribe, tracingChannel} from 'node:diagnostics_channel';
import {type Attributes, context, type Span, SpanKind, SpanStatusCode, trace, type Tracer} from '@opentelemetry/api';
import Koa from 'koa';
import {type ApiTrace, type RedirectTrace, type ShortUrl, shortUrl, type StoreTrace} from 'koa-short-url';

/** The span of the current redirect or call, the parent of the spans of its store operations. */
const current = new AsyncLocalStorage<Span>();

function traceChannel(
  tracer: Tracer,
  channel: 'redirect' | 'api' | 'store',
  kind: SpanKind,
  describe: (traced: object) => Attributes,
): void {
  const spans = new WeakMap<object, Span>();
  tracingChannel<Span, object>(`koa-short-url:${channel}`).start.bindStore(current, (traced) => {
    const parent = current.getStore();
    const around = parent === undefined ? context.active() : trace.setSpan(context.active(), parent);
    const span = tracer.startSpan(`short-url ${channel}`, {kind}, around);
    spans.set(traced, span);
    return span;
  });
  subscribe(`tracing:koa-short-url:${channel}:asyncEnd`, (traced) => {
    const {error} = traced as {error?: Error};
    const span = spans.get(traced as object);
    span?.setAttributes(describe(traced as object));
    if (error !== undefined) span?.setStatus({code: SpanStatusCode.ERROR, message: error.message});
    span?.end();
  });
}

/** Call it once per process. */
export function traceShortUrls(tracer: Tracer = trace.getTracer('koa-short-url')): void {
  traceChannel(tracer, 'redirect', SpanKind.INTERNAL, (traced) => {
    const {shortUrl, method, status} = traced as RedirectTrace;
    return {'short_url.url': shortUrl, 'http.request.method': method, ...statusOf(status)};
  });
  traceChannel(tracer, 'api', SpanKind.INTERNAL, (traced) => {
    const {operation = 'unknown', format, status, code} = traced as ApiTrace;
    const attributes = {'short_url.operation': operation, 'short_url.format': format, ...statusOf(status)};
    return code === undefined ? attributes : {...attributes, 'error.type': code};
  });
  traceChannel(tracer, 'store', SpanKind.CLIENT, (traced) => {
    const {engine, operation} = traced as StoreTrace;
    return {'db.system.name': engine === 'postgres' ? 'postgresql' : engine, 'db.operation.name': operation};
  });
}

function statusOf(status: number | undefined): Attributes {
  return status === undefined ? {} : {'http.response.status_code': status};
}

export function buildApp(): {app: Koa; shortener: ShortUrl} {
  const app = new Koa();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  app.use(shortener);
  return {app, shortener};
}
