/** Metrics for Prometheus at /metrics: redirects, API calls, store operations, and the state of the store. */
import {subscribe} from 'node:diagnostics_channel';
import Koa from 'koa';
import {type ApiTrace, type RedirectTrace, type ShortUrl, shortUrl, type StoreTrace} from 'koa-short-url';
import {Gauge, Histogram, Registry} from 'prom-client';

/** In seconds: from half a millisecond, for a store in memory, to the default `storeTimeout` of two seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Measures a channel. Each label must have few values, so no label is a short URL. */
function measure<Label extends string>(
  channel: 'redirect' | 'api' | 'store',
  histogram: Histogram<Label>,
  labels: (traced: object) => Record<Label, string>,
): void {
  const ends = new WeakMap<object, () => void>();
  subscribe(`tracing:koa-short-url:${channel}:start`, (traced) => {
    const end = histogram.startTimer();
    ends.set(traced as object, () => end(labels(traced as object)));
  });
  subscribe(`tracing:koa-short-url:${channel}:asyncEnd`, (traced) => ends.get(traced as object)?.());
}

/** Call it once per process. */
function measureAll(register: Registry): void {
  const registers = [register];
  const redirect = {name: 'short_url_redirect_seconds', help: 'Requests for short URLs by status', buckets, registers};
  measure('redirect', new Histogram({...redirect, labelNames: ['status']}), (traced) => {
    const {status = 'none'} = traced as RedirectTrace;
    return {status: String(status)};
  });
  const api = {name: 'short_url_api_seconds', help: 'API calls by operation and result', buckets, registers};
  measure('api', new Histogram({...api, labelNames: ['operation', 'result']}), (traced) => {
    const {operation = 'unknown', code = 'success'} = traced as ApiTrace;
    return {operation, result: code};
  });
  const store = {name: 'short_url_store_seconds', help: 'Operations of the store', buckets, registers};
  measure('store', new Histogram({...store, labelNames: ['engine', 'operation', 'result']}), (traced) => {
    const {engine, operation, error} = traced as StoreTrace;
    return {engine, operation, result: error?.code ?? 'success'};
  });
}

export function buildApp(): {app: Koa; shortener: ShortUrl} {
  const app = new Koa();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: 'memory:'});
  const register = new Registry();
  measureAll(register);
  const ready = new Gauge({name: 'short_url_store_ready', help: '1 if the store answers', registers: [register]});
  const unstored = new Gauge({name: 'short_url_unstored_visits', help: 'Visits not yet stored', registers: [register]});

  app.use(async (ctx, next) => {
    if (ctx.path !== '/metrics') {
      await next();
      return;
    }
    const {isReady, unstoredVisits} = await shortener.health();
    ready.set(isReady ? 1 : 0);
    unstored.set(unstoredVisits);
    ctx.type = register.contentType;
    ctx.body = await register.metrics();
  });
  app.use(shortener);
  return {app, shortener};
}
