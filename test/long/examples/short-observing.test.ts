import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import test from 'ava';
import {buildApp as tracedApp, traceShortUrls} from '../../../examples/opentelemetry.ts';
import {buildApp as measuredApp} from '../../../examples/prometheus.ts';
import {urlSafe} from '../../support/base64.ts';
import {siteOf} from '../../support/examples/visitor.ts';

const url = 'https://destination.example/page';

test.serial('OpenTelemetry gets a span for each redirect and API call, with those of the store below', async (t) => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({spanProcessors: [new SimpleSpanProcessor(exporter)]});
  traceShortUrls(provider.getTracer('test'));
  const {visit, call, apiKey} = await siteOf(t, tracedApp());
  await call(`create/custom_url/spring/password/hush-hush/url/${urlSafe(url)}`);
  await call('nonsense');
  await visit('https://example.com/spring');

  const spans = exporter.getFinishedSpans();
  const named = (name: string): ReadableSpan[] => spans.filter((span) => span.name === `short-url ${name}`);
  t.deepEqual(
    named('api').map(({attributes}) => attributes),
    [
      {'short_url.operation': 'create', 'short_url.format': 'json', 'http.response.status_code': 200},
      {
        'short_url.operation': 'unknown',
        'short_url.format': 'json',
        'http.response.status_code': 404,
        'error.type': 'unknown_operation',
      },
    ],
  );
  const [redirect] = named('redirect');
  t.deepEqual(redirect?.attributes, {
    'short_url.url': 'https://example.com/spring',
    'http.request.method': 'GET',
    'http.response.status_code': 200,
  });
  const below = named('store').filter(
    ({parentSpanContext}) => parentSpanContext?.spanId === redirect?.spanContext().spanId,
  );
  t.deepEqual(
    below.map(({attributes}) => attributes),
    [{'db.system.name': 'memory', 'db.operation.name': 'get'}],
  );
  const all = JSON.stringify(spans.map(({name, attributes, status, events}) => ({name, attributes, status, events})));
  for (const secret of [apiKey, 'hush-hush', '127.0.0.1']) t.false(all.includes(secret), secret);
});

test.serial(
  'Prometheus gets the numbers of redirects, API calls and store operations, and the health of the store',
  async (t) => {
    const {visit, call, apiKey} = await siteOf(t, measuredApp());
    await call(`create/custom_url/spring/url/${urlSafe(url)}`);
    for (let times = 0; times < 3; times += 1) await visit('https://example.com/spring');
    await visit('https://example.com/winter');
    await call('nonsense');
    const {text, headers} = await visit('https://example.com/metrics');
    t.regex(String(headers['content-type']), /^text\/plain/);
    const lines = text.split('\n');
    for (const line of [
      'short_url_redirect_seconds_count{status="302"} 3',
      'short_url_redirect_seconds_count{status="none"} 1',
      'short_url_api_seconds_count{operation="create",result="success"} 1',
      'short_url_api_seconds_count{operation="unknown",result="unknown_operation"} 1',
      'short_url_store_seconds_count{engine="memory",operation="count",result="success"} 3',
      'short_url_store_ready 1',
      'short_url_unstored_visits 0',
    ]) {
      t.true(lines.includes(line), `${line}\n${text}`);
    }
    t.false(text.includes(apiKey));
  },
);
