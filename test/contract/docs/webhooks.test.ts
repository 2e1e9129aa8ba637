import '../../support/quick-scrypt.ts';
import {createHmac} from 'node:crypto';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {compileFunction} from 'node:vm';
import test from 'ava';
import Koa from 'koa';
import {type ShortUrl, shortUrl, type ShortUrlOptions} from '../../../src/index.ts';
import {visitorOf} from '../../support/examples/visitor.ts';
import {blocksOf} from '../../support/pages.ts';

const page = await readFile('docs/cookbook.md', 'utf8');
const code = blocksOf(page)
  .find((block) => block.code.includes('sendVisits'))
  ?.code.replaceAll(/^import .*\n/gm, '');

interface Program {
  readonly shortener: ShortUrl;
  readonly sendVisits: (target: string, since: string) => Promise<string>;
}

/** Numbers from 0 to 1, always the same. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

test('a receiver that fails half of the time has the number of visits of every link in the end, and no other', async (t) => {
  const clock = {now: Date.parse('2031-05-06T12:00:00Z')};
  class Time extends Date {
    static override now(): number {
      return clock.now;
    }

    constructor(given: number = clock.now) {
      super(given);
    }
  }
  const scope = {
    createHmac,
    fetch,
    AbortSignal,
    Date: Time,
    shortUrl: (options: ShortUrlOptions) => shortUrl({...options, now: () => clock.now}),
  };
  const run = compileFunction(`${code ?? ''}\nreturn {shortener, sendVisits};`, Object.keys(scope)) as (
    ...values: unknown[]
  ) => Program;
  const {shortener, sendVisits} = run(...Object.values(scope));
  t.teardown(() => shortener.close());

  const random = numbers(7);
  let isWell = false;
  let calls = 0;
  const received = new Map<string, number>();
  const ids = new Map<string, number>();
  const receiver = createServer((request, response) => {
    calls += 1;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      const {'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature} = request.headers;
      const key = Buffer.from('c2VjcmV0IG9mIHRoZSByZWNlaXZlcg==', 'base64');
      const expected = createHmac('sha256', key)
        .update(`${String(id)}.${String(seconds)}.${body}`)
        .digest('base64');
      t.is(signature, `v1,${expected}`);
      const luck = isWell ? 1 : random();
      if (luck < 0.25) {
        response.writeHead(503).end();
        return;
      }
      const {type, data} = JSON.parse(body) as {type: string; data: {shortUrl: string; totalVisits: number}};
      t.is(type, 'link.visits');
      // The same id is the same number.
      t.is(ids.get(String(id)) ?? data.totalVisits, data.totalVisits);
      ids.set(String(id), data.totalVisits);
      received.set(data.shortUrl, data.totalVisits);
      // The call has arrived, and its answer is lost.
      if (luck < 0.5) response.destroy();
      else response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.teardown(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

  await shortener.accounts.create('ann');
  const links: string[] = [];
  for (let index = 0; index < 12; index++) {
    links.push(
      (await shortener.links.create('ann', {url: 'https://destination.example/', customUrl: `n${index}`})).shortUrl,
    );
  }
  const ask = await visitorOf(t, new Koa().use(shortener));
  let since = '';
  for (let round = 0; round < 30; round++) {
    clock.now += round % 7 === 0 ? 3 * 60 * 60_000 : 61_000;
    // The last link is never visited.
    for (let visit = 0; visit < 3; visit++) await ask(links[Math.floor(random() * 11)] ?? '');
    since = await sendVisits(target, since);
  }
  isWell = true;
  since = await sendVisits(target, since);
  for (const link of links) {
    t.is(received.get(link), (await shortener.links.info('ann', link)).totalVisits, link);
  }
  calls = 0;
  clock.now += 3 * 60 * 60_000;
  await ask(links[3] ?? '');
  clock.now += 61_000;
  since = await sendVisits(target, since);
  t.is(calls, 1);
  t.true(since > '2031-05-06');
});
