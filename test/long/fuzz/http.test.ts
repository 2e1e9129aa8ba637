import test from 'ava';
import Keyv from 'keyv';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {statuses} from '../../support/answers.ts';
import {collectGarbage} from '../../support/heap.ts';
import {warningsOf} from '../../support/warnings.ts';
import {Judge, successes} from './judge.ts';
import {assail, type Assault} from './run.ts';
import {pageAt, pagesOf, secretsOf, startFuzzSite} from './site.ts';

/** `FUZZ_REQUESTS=1000000` runs longer. */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 6000);
const secret = 'a secret for tests, and for nothing else';
/** Errors that no caller may cause, and those that take ten thousand links, a visitor of a link or a page of the site. */
const beyondCallers = [
  ...['internal_error', 'store_unavailable', 'too_many_links', 'refund_too_large'],
  ...['foreign_page', 'not_logged_in'],
];
/** Every other error of the contract, and a success of every operation. */
const expected = [
  ...Object.entries(statuses).flatMap(([code, status]) => (beyondCallers.includes(code) ? [] : [`${status} ${code}`])),
  ...['413 malformed_body', '415 malformed_body'],
  ...successes,
];

test.serial('every answer is one of the contract or a page of the host, whatever is sent', async (t) => {
  t.timeout(2 * 60 * 60 * 1000);
  const records = new Map<string, unknown>();
  const site = await startFuzzSite(t, {store: records, secret});
  const judge = new Judge({pages: await pagesOf(site), secrets: secretsOf(site.keys)});
  // The store adds to its counters in place.
  const initial = structuredClone([...records]);
  const heap: number[] = [];
  const started = performance.now();
  const neverReached = (): string[] => {
    const seen = new Set([...judge.counts.keys()].map((kind) => kind.replace(/^api /, '')));
    return expected.filter((kind) => !seen.has(kind));
  };

  // Koa parses targets with the old parser of Node.js, which warns of some. Foreign hosts and prefixes cause one warning
  // each on purpose.
  const known = ['DEP0170', 'unknown_host', 'unknown_path'];
  const assault: Assault = {
    requests,
    // Some codes come a few times in six thousand answers, so in some runs not at all.
    isComplete: () => neverReached().length === 0,
    between(answered) {
      // Each batch starts with the same links, so a run can have any length. Password attempts stay.
      for (const key of records.keys()) if (!key.includes(':attempts:')) records.delete(key);
      for (const [key, record] of structuredClone(initial)) records.set(key, record);
      judge.forget();
      site.clock.now += 60_000;
      if (answered < (requests / 10) * (heap.length + 1)) return;
      collectGarbage();
      heap.push(process.memoryUsage().heapUsed / 2 ** 20);
    },
  };
  const warnings = await warningsOf(() => assail(t, site, judge, assault));

  const answers = [...judge.counts.values()].reduce((sum, count) => sum + count);
  const seconds = (performance.now() - started) / 1000;
  t.log(
    `${answers} answers in ${seconds.toFixed(0)} s; megabytes in use: ${heap.map((size) => size.toFixed(1)).join(' ')}`,
  );
  t.log(Object.fromEntries([...judge.counts].sort()));
  t.deepEqual(
    warnings.filter(({code = ''}) => !known.includes(code)),
    [],
  );
  t.deepEqual(neverReached(), []);
  const [first = 0, ...others] = heap.slice(1);
  t.true(Math.max(...others) < first + 8, `Memory grew: ${heap.join(' ')}`);
});

test.serial('every answer is one of the contract while the store fails now and then, whatever is sent', async (t) => {
  const adapter = new FailingAdapter();
  const site = await startFuzzSite(t, {store: new Keyv({store: adapter}), secret});
  const pages = await pagesOf(site);
  adapter.isDown = true;
  pages.add((await pageAt(site, '/wide'))[1]);
  const judge = new Judge({
    pages,
    secrets: [...secretsOf(site.keys), 'hunter2'],
    allowsOutage: true,
  });
  let batches = 0;
  await assail(t, site, judge, {
    requests: 800,
    between() {
      // The store is down, or goes down in the middle of an operation.
      batches += 1;
      adapter.isDown = batches % 3 === 0;
      adapter.callsLeft = batches % 3 === 1 ? batches * 7 : Infinity;
    },
  });
  t.log(Object.fromEntries([...judge.counts].sort()));
  t.true((judge.counts.get('api 503 store_unavailable') ?? 0) > 0);
  t.true((judge.counts.get('page 503') ?? 0) > 0);
});
