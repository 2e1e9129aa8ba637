import '../../support/quick-scrypt.ts';
import test from 'ava';
import {urlSafe} from '../../support/base64.ts';
import type {ShortUrl, ShortUrlError} from '../../../src/index.ts';
import {collect} from '../../support/collect.ts';
import {operations} from '../../../src/http/api/operations.ts';
import type {Schema} from '../../../src/values/shape.ts';
import {open} from '../../support/dashboard.ts';

/** Values just beyond what a schema allows, and some of other types. */
function beyond(schema: Schema): unknown[] {
  const {type, minLength, maxLength, minimum, maximum, items, maxItems, minItems, pattern} = schema;
  const wrong: unknown[] = [];
  if (maxLength !== undefined) wrong.push('x'.repeat(maxLength + 1));
  if (minLength !== undefined || pattern !== undefined || schema.enum) wrong.push('');
  if (schema.enum) wrong.push('\u0000');
  if (pattern !== undefined) wrong.push(...['\u0000', '/'].filter((text) => !new RegExp(pattern, 'u').test(text)));
  if (minimum !== undefined) wrong.push(minimum - 1);
  if (maximum !== undefined) wrong.push(maximum + 1);
  if (type === 'integer') wrong.push(1.5, '1', 1e300);
  if (type === 'boolean') wrong.push('true', 0);
  // Each item of a list of many has a result of its own.
  if (items !== undefined && items.type !== 'object') wrong.push(...beyond(items).map((item) => [item]));
  if (maxItems !== undefined) wrong.push(Array.from({length: maxItems + 1}, (_, index) => `x${index}`));
  if (minItems !== undefined && minItems > 0) wrong.push([]);
  if (type !== 'object') wrong.push({});
  if (type !== 'array') wrong.push([]);
  if (type !== 'integer') wrong.push(7);
  if (type === 'object' || type === undefined) wrong.push({unknown: 1});
  return wrong;
}

/** A name that calls of the API do not have, in a message. */
const nameInCode = /`[a-z]+[A-Z]\w*`/;

test('a wrong value in a path is refused by a name that paths have', async (t) => {
  const {shortener, origin} = await open(t);
  const {apiKey} = await shortener.accounts.create('ann');
  const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/'});
  let asked = 0;
  for (const [name, {parameters, isPostOnly}] of operations) {
    if (isPostOnly) continue;
    const rest = [
      ...(parameters['short_url'] ? ['short_url', urlSafe(shortUrl)] : []),
      ...(parameters['url'] ? ['url', urlSafe('https://example.org/')] : []),
    ];
    for (const [parameter, {shape}] of Object.entries(parameters)) {
      if (rest.includes(parameter) || shape.isEncoded || !['boolean', 'integer'].includes(String(shape.schema.type)))
        continue;
      const path = [name, parameter, 'yes', ...rest].join('/');
      const reply = await fetch(`${origin}/api/v1/${apiKey}/shorturl/${path}`);
      t.is(reply.status, 400, path);
      t.notRegex(await reply.text(), nameInCode);
      asked += 1;
    }
  }
  t.true(asked > 10);
});

for (const [name, {parameters, example}] of operations) {
  test(`${name} refuses what is just beyond the limits of each parameter, and changes nothing`, async (t) => {
    const store = new Map<string, unknown>();
    const {shortener, origin} = await open(t, {
      shortUrl: {store, secret: 'a secret of good length, for tests', attribution: {}},
    });
    const {apiKey} = await shortener.accounts.create('ann');
    const {shortUrl: short_url} = await shortener.links.create('ann', {url: 'https://example.org/'});
    const usual = {...example, ...('short_url' in example && {short_url})};
    const before = JSON.stringify(Array.from(store));
    for (const [parameter, {shape, isNullable}] of Object.entries(parameters)) {
      for (const value of [...beyond(shape.schema), ...(isNullable ? [] : [null])]) {
        const reply = await fetch(`${origin}/api/v1/shorturl/${name}`, {
          method: 'POST',
          headers: {'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}`},
          body: JSON.stringify({[parameter]: value, ...without(usual, parameter)}),
        });
        const text = await reply.text();
        t.is(reply.status, 400, `${parameter} ${JSON.stringify(value).slice(0, 60)} ${text.slice(0, 300)}`);
        t.notRegex(text, nameInCode);
      }
    }
    t.is(JSON.stringify(Array.from(store)), before);
  });
}

function without(fields: object, name: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));
}

/** The methods whose options may be left out. */
const optional: Readonly<Record<string, (shortener: ShortUrl, link: string, options: never) => unknown>> = {
  create: ({links}, _, options) => links.create('ann', {url: 'https://example.org/'}, options),
  createMany: ({links}, _, options) => collect(links.createMany('ann', [{url: 'https://example.org/'}], options)),
  page: ({links}, _, options) => links.page('ann', options),
  list: ({links}, _, options) => collect(links.list('ann', options)),
  pageActive: ({links}, _, options) => links.pageActive('ann', options),
  'stats of a link': ({links}, link, options) => links.stats('ann', link, options),
  qr: ({links}, link, options) => links.qr('ann', link, options),
  compare: ({links}, _, options) => links.compare('ann', options),
  compareTags: ({links}, _, options) => links.compareTags('ann', options),
  share: ({links}, link, options) => links.share('ann', link, options),
  'stats of an account': ({accounts}, _, options) => accounts.stats('ann', options),
  block: ({admin}, link, options) => admin.block(link, options),
  blockAccount: ({admin}, _, options) => admin.blockAccount('ann', options),
  account: ({admin}, _, options) => admin.account('ann', options),
  recheck: ({admin}, _, options) => collect(admin.recheck(() => 'broken', options)),
  pageAccounts: ({admin}, _, options) => admin.pageAccounts(options),
  compareAccounts: ({admin}, _, options) => admin.compareAccounts(options),
  pageLinks: ({admin}, _, options) => admin.pageLinks(options),
  'stats of the site': ({admin}, _, options) => admin.stats(options),
  sweep: ({admin}, _, options) => collect(admin.sweep(options)),
};

for (const [name, call] of Object.entries(optional)) {
  test(`options of ${name} that are no object are refused, because nothing of them would be used`, async (t) => {
    const store = new Map<string, unknown>();
    const {shortener} = await open(t, {shortUrl: {store, secret: 'a secret of good length, for tests'}});
    await shortener.accounts.create('ann');
    const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/'});
    const before = JSON.stringify(Array.from(store));
    for (const options of ['Phishing', 7, true, ['x'], []] as never[]) {
      const error = await t.throwsAsync<ShortUrlError>(async () => call(shortener, shortUrl, options));
      t.regex(error.code, /^(?:malformed|unknown)_parameter$/, JSON.stringify(options));
    }
    t.is(JSON.stringify(Array.from(store)), before);
    // A caller in JavaScript may pass null for none.
    if (!['recheck', 'sweep', 'pageActive', 'blockAccount'].includes(name))
      await t.notThrowsAsync(async () => call(shortener, shortUrl, null as never));
  });
}

test('a kept value that is passed to `accept` without its name is refused, because it would not be used', async (t) => {
  const {shortener} = await open(t, {shortUrl: {attribution: {}}});
  const ctx = {req: {method: 'POST', url: '/', headers: {}}, res: {appendHeader: () => t.fail()}} as never;
  const {conversions} = shortener;
  await t.throwsAsync(conversions.accept(ctx, 'a kept value' as never), {instanceOf: TypeError, message: /via/});
});
