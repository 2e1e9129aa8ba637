import {readFile} from 'node:fs/promises';
import test from 'ava';
import {operations as source} from '../src/http/operations.ts';
import {open} from './examples/stage.ts';
import {statuses} from './support/answers.ts';
import {complaintsOf, faultsOf, inBrowser, sharedChromium} from './support/chromium.ts';
import {openApi, operations, xsd} from './support/description.ts';
import {structureOf} from './support/documents.ts';

const chromium = sharedChromium();

test('the example site serves both files, with itself as the server', async (t) => {
  const {browser, origin} = await open(t);
  const json = await browser.get('/openapi.json');
  t.is(json.headers.get('content-type'), 'application/json; charset=utf-8');
  t.deepEqual(JSON.parse(json.text), {...openApi, servers: [{url: origin}]});
  const xml = await browser.get('/short-url.xsd');
  t.is(xml.headers.get('content-type'), 'application/xml; charset=utf-8');
  t.is(xml.text, xsd);
});

test('the page tells every operation, parameter, status and error code, without script', async (t) => {
  const {browser} = await open(t);
  const {status, headers, text} = await browser.get('/api-reference');
  t.is(status, 200);
  t.regex(headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  t.notThrows(() => structureOf(text));
  t.notRegex(text, /<script|undefined|\[object/);
  for (const {operationId, summary, parameters, responses} of operations.values()) {
    const section = new RegExp(`<section class="panel" id="${operationId}".*?</section>`, 's').exec(text)?.[0] ?? '';
    t.true(section.includes(summary), operationId);
    for (const {$ref} of parameters) t.true(section.includes(`<dt><code>${$ref.split('/').at(-1)}</code></dt>`), $ref);
    for (const code of Object.keys(responses)) t.true(section.includes(`<dt>${code}</dt>`), `${operationId} ${code}`);
  }
  for (const name of source.keys()) t.true(text.includes(`/shorturl/${name}`), name);
  for (const [code, number] of Object.entries(statuses)) {
    t.true(text.includes(`<dt id="${code}"><code>${code}</code> ${number}</dt>`), code);
  }
});

test('every link of the page leads somewhere', async (t) => {
  const {browser} = await open(t);
  const {status, text} = await browser.get('/api-reference');
  t.is(status, 200);
  const ids = Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
  t.is(new Set(ids).size, ids.length, 'every id is there once');
  for (const [, address = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
    if (address.startsWith('#')) t.true(ids.includes(address.slice(1)), address);
    else t.is((await browser.get(address)).status, 200, address);
  }
});

test('the examples of the page are calls of this site', async (t) => {
  const {browser, origin} = await open(t);
  const {text} = await browser.get('/api-reference');
  const example = openApi.components.parameters['key']?.example;
  t.true(text.includes(`<code>${origin}/api/v1/${example}/shorturl/list_active_urls.json</code>`));
  const page = await readFile('examples/host-app/pages/api-reference.eta', 'utf8');
  t.false(page.includes('https://'));
});

for (const colorScheme of ['light', 'dark'] as const) {
  inBrowser(`axe finds nothing on the page, ${colorScheme} and as narrow as a phone, and it fits`, async (t) => {
    const {origin} = await open(t);
    const viewport = {width: 320, height: 700};
    const context = await (await chromium()).newContext({colorScheme, viewport, bypassCSP: true});
    t.teardown(() => context.close());
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${origin}/api-reference`);
    await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
    t.deepEqual(await faultsOf(page), []);
    t.true(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
    t.deepEqual(complaints, []);
  });
}
