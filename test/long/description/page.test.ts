import test from 'ava';
import {open, textOf} from '../../support/dashboard.ts';
import {operations as source} from '../../../src/http/api/operations.ts';
import {statuses} from '../../support/answers.ts';
import {openApi, operations, xsd, follow, type Parameter} from '../../support/description.ts';
import {parseCurl} from '../../support/curl.ts';

test('the dashboard serves both files, with the site as the server', async (t) => {
  const {visitor, origin} = await open(t);
  const json = await visitor('ann').get('openapi.json');
  t.is(json.headers.get('content-type'), 'application/json; charset=utf-8');
  t.deepEqual(JSON.parse(json.text), {...openApi, servers: [{url: origin}]});
  const xml = await visitor('ann').get('short-url.xsd');
  t.is(xml.headers.get('content-type'), 'application/xml; charset=utf-8');
  t.is(xml.text, xsd);
});

test('each operation has a page with its parameters, statuses and answers', async (t) => {
  const {visitor} = await open(t);
  const ann = visitor('ann');
  const index = (await ann.get('reference/')).text;
  let paths = '';
  for (const {operationId, summary, parameters, responses} of operations.values()) {
    t.true(index.includes(`href="../reference/${operationId}"`), operationId);
    const {status, text} = await ann.get(`reference/${operationId}`);
    t.is(status, 200);
    paths += `${textOf(/<p class="links-path">.*?<\/p>/s.exec(text)?.[0]).replaceAll(/\s|\.\{/g, '')}/`;
    t.true(text.includes(`>${summary}</h1>`), operationId);
    for (const reference of parameters) {
      const {name} = follow<Parameter>(reference);
      t.true(text.includes(`<dt><code>${name}</code></dt>`), name);
    }
    for (const code of Object.keys(responses)) t.true(text.includes(`<dt>${code}</dt>`), `${operationId} ${code}`);
    t.notRegex(text, /undefined|\[object/);
    t.true(text.length < 40_000, `${operationId} is short`);
  }
  for (const name of source.keys()) t.regex(paths, new RegExp(String.raw`/shorturl/${name}(/|\.\{format)`), name);
  t.is((await ann.get('reference/nonsense')).status, 404);
});

test('one page has every error code', async (t) => {
  const {visitor} = await open(t);
  const {text} = await visitor('ann').get('reference/errors');
  for (const [code, number] of Object.entries(statuses)) {
    t.true(text.includes(`<dt id="${code}"><code>${code}</code> ${number}</dt>`), code);
  }
});

test('links to error codes lead to codes that exist', async (t) => {
  const {visitor} = await open(t);
  const errors = (await visitor('ann').get('reference/errors')).text;
  for (const {operationId} of operations.values()) {
    const {text} = await visitor('ann').get(`reference/${operationId}`);
    for (const [, code = ''] of text.matchAll(/reference\/errors#([\w-]+)/g))
      t.true(errors.includes(`id="${code}"`), code);
  }
});

test('the examples are calls of this site, with the key in the right place', async (t) => {
  const {visitor, origin} = await open(t);
  const {text} = await visitor('ann').get('reference/list');
  const call = `curl -H 'Authorization: Bearer API_KEY' '${origin}/api/v1/shorturl/list_active_urls.json'`;
  t.true(text.replaceAll('&#39;', "'").includes(`<code>${call}</code>`));
  t.true(text.includes('&quot;code&quot;: 200'));
});

const exampleKey = openApi.components.parameters['key']?.example;
const exampleId = 'V1StGXR8_Z';

// A visitor's operation has no example.
for (const name of Array.from(operations.keys()).filter(
  (each) => !['visit', 'look', 'openWithPassword'].includes(each),
)) {
  test(`the example of ${name} names the site's own domain, and works when it is copied`, async (t) => {
    const {visitor, shortener} = await open(t);
    const url = 'https://destination.example/';
    await shortener.links.create('ann', {url, customUrl: 'yh4mVKX'});
    if (name === 'postUpdateMany') await shortener.links.create('ann', {url, customUrl: 'spring'});
    const {id} = await shortener.keys.create('ann', {label: 'Shop', scope: 'read'});
    const apiKey = (await shortener.accounts.apiKey('ann')) ?? '';
    const {text} = await visitor('ann').get(`reference/${name}`);
    t.notRegex(text, /sho\.rt|https:\/\/example\.com|\{(?:site|domain|base64)/);
    const [, shown = ''] = /<code>(curl .*?)<\/code>/.exec(text) ?? [];
    const command = shown
      .replaceAll('&#39;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll(/API_KEY/g, apiKey)
      .replace(String(exampleKey), apiKey)
      .replace(exampleId, id);
    const {address, ...init} = parseCurl(command);
    const answer = await fetch(address, init);
    const body = await answer.text();
    t.is(answer.status, 200, `${command} ${body}`);
    t.false(body.includes('"error"'), body);
  });
}
