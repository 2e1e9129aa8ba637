import '../support/quick-scrypt.ts';
import Koa from 'koa';
import {shortUrl} from '../../src/index.ts';
import {eachOf, protocolEngines} from '../support/engines/each.ts';
import {visitorOf} from '../support/examples/visitor.ts';
import {viaOf} from '../support/visitor.ts';
import {dump} from '../support/tools/world.ts';

const onEach = await eachOf(protocolEngines);
const person = 'ann.smith@mail.example';
const told = ['ann.smith', 'destination.example', 'A secret title', 'gift', 'Label of a key', 'secret-reason'];

onEach((check) => {
  check('after an account was removed, the store names neither the person nor what was linked', async (t, engine) => {
    const place = await engine.fresh(t);
    const options = {namespace: 'forgotten', secret: 's'.repeat(32), ...place};
    const shortener = shortUrl({baseUrl: 'https://example.com', createQuota: 100, attribution: {}, ...options});
    t.teardown(() => shortener.close());
    const ask = await visitorOf(t, new Koa().use(shortener));
    const {accounts, links, keys, admin, conversions} = shortener;
    await accounts.create('other');
    await links.create('other', {url: 'https://other.example/', customUrl: 'others'});
    await accounts.create(person);
    await keys.create(person, {label: 'Label of a key', scope: 'full'});
    const create = (customUrl: string) =>
      links.create(
        person,
        {url: 'https://destination.example/', customUrl, title: 'A secret title', tags: ['gift'], password: 'p'},
        {idempotencyKey: `key-${customUrl}`},
      );
    for (const part of ['one', 'two', 'three']) await create(part);
    for (let count = 0; count < 60; count += 1) await links.create(person, {url: 'https://destination.example/'});
    const brought = await links.create(person, {url: 'https://destination.example/'});
    const via = viaOf((await ask(brought.shortUrl)).headers['set-cookie']);
    for (let id = 0; id < 60; id += 1) await conversions.record({via}, {name: 'order', id, value: 4900, customer: id});
    await admin.block('https://example.com/two', {reason: 'secret-reason'});
    await links.remove(person, 'https://example.com/one');
    const removed = /"l:\{example\.com:one\}",[^\]]*/.exec(JSON.stringify(await dump(options)))?.[0] ?? '';
    t.regex(removed, /removed/);
    for (const text of told) t.false(removed.includes(text), text);

    await accounts.remove(person);
    await accounts.remove(person);
    const rows = await dump(options);
    const all = JSON.stringify(rows);
    for (const text of told) t.false(all.includes(text), text);
    // Only the short parts stay, and what other accounts have, also in the one record of the site's list that has a link.
    const keysOf = (prefix: string) => rows.filter(([key]) => key.startsWith(prefix)).length;
    // A quota stays until the end of the day, by a keyed digest.
    t.deepEqual(['account:', 'accounts:', 'list:', 'positions:', 'quota:'].map(keysOf), [1, 1, 2, 1, 2]);
    t.is(keysOf('l:'), 65);
    t.deepEqual(['totals:', 'v:'].map(keysOf), [0, 0]);
    // Records of conversions and customers expire. Until then, a repeat brings nothing of the account back.
    t.like(await conversions.record({via}, {name: 'order', id: 1}), {link: {status: 'removed'}});
    t.is(await conversions.find({customer: 1}), undefined);
    const left = new Set((await dump(options)).map((row) => JSON.stringify(row)));
    t.deepEqual(
      rows.filter((row) => !left.has(JSON.stringify(row))).map(([key]) => key.split(':')[0]),
      ['conversion', 'customer'],
    );
    t.is(left.size, rows.length - 2);

    const {apiKey} = await accounts.create(person);
    t.is(await accounts.apiKey(person), apiKey);
    await t.throwsAsync(create('three'), {code: 'custom_url_taken'});
    t.is((await create('four')).shortUrlPart, 'four');
  });
});
