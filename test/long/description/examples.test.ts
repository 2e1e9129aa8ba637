import test from 'ava';
import '../../support/quick-scrypt.ts';
import {urlSafe} from '../../support/base64.ts';
import {open} from '../../support/dashboard.ts';
import {follow, mainDescription, openApi, type Operation, type Parameter, xsd} from '../../support/description.ts';

test('the dashboard serves both descriptions, with the site as the server', async (t) => {
  const {visitor, origin} = await open(t);
  const json = await visitor('ann').get('openapi.json');
  t.is(json.headers.get('content-type'), 'application/json; charset=utf-8');
  t.deepEqual(JSON.parse(json.text), {...mainDescription, servers: [{url: origin}]});
  const xml = await visitor('ann').get('short-url.xsd');
  t.is(xml.headers.get('content-type'), 'application/xml; charset=utf-8');
  t.is(xml.text, xsd);
});

const exampleId = 'V1StGXR8_Z';
/** Before the dates of the examples. */
const now = (): number => Date.UTC(2030, 0, 1);

interface Site {
  readonly origin: string;
  readonly apiKey: string;
  readonly id: string;
}

/** The example of an operation as a request to a site. */
function requestOf(path: string, method: string, operation: Operation, {origin, apiKey, id}: Site): Request {
  const here = (text: string): string => text.replaceAll(/https:\/\/(?:example\.com|sho\.rt)(?![\w.-])/g, origin);
  const examples = new Map(
    (operation.parameters ?? []).map((each) => follow<Parameter>(each)).map((each) => [each.name, each]),
  );
  const valueOf = (name: string): string => {
    const example = String(examples.get(name)?.example);
    if (name === 'key') return apiKey;
    if (name === 'base_domain') return new URL(origin).host;
    return name === 'short_url'
      ? urlSafe(here(Buffer.from(example, 'base64').toString()))
      : encodeURIComponent(example);
  };
  const body = operation.requestBody?.content['application/json'].example;
  return new Request(origin + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name)), {
    method: method.toUpperCase(),
    headers: {
      ...(operation.security && {Authorization: `Bearer ${apiKey}`}),
      ...(body !== undefined && {'Content-Type': 'application/json'}),
    },
    ...(body !== undefined && {body: here(JSON.stringify(body)).replace(exampleId, id)}),
  });
}

for (const [path, item] of Object.entries(openApi.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    // A visitor's operation has no example.
    if (!path.startsWith('/api/')) continue;
    const {operationId} = operation;
    test(`the example of ${operationId} works`, async (t) => {
      const {shortener, origin} = await open(t, {shortUrl: {now}});
      const url = 'https://destination.example/';
      const reference = operationId.startsWith('infoWithReference') ? 'order 1001' : undefined;
      await shortener.links.create('ann', {url, customUrl: 'yh4mVKX', reference});
      if (operationId === 'postUpdateMany') await shortener.links.create('ann', {url, customUrl: 'spring'});
      const {id} = await shortener.keys.create('ann', {label: 'Shop', scope: 'read'});
      const apiKey = (await shortener.accounts.apiKey('ann')) ?? '';
      const request = requestOf(path, method, operation, {origin, apiKey, id});
      const answer = await fetch(request);
      const text = await answer.text();
      t.is(answer.status, 200, `${request.url} ${text}`);
      t.false(text.includes('"error"'), text);
    });
  }
}
