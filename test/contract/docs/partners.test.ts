import '../../support/quick-scrypt.ts';
import {readFile} from 'node:fs/promises';
import {compileFunction} from 'node:vm';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import {type Link, shortUrl} from '../../../src/index.ts';
import {visitorOf} from '../../support/examples/visitor.ts';
import {blocksOf} from '../../support/pages.ts';
import {viaOf} from '../../support/visitor.ts';

const page = await readFile('docs/partners.md', 'utf8');
const program = blocksOf(page)
  .map(({code}) => code)
  .join('\n');

interface Row {
  readonly month: string;
  readonly currency: string;
  readonly sold: number;
  readonly refunded: number;
}

interface User {
  readonly id: string;
}

interface Paid {
  readonly id: string;
  readonly cents: number;
  readonly currency?: string;
}

/** What the page defines. */
interface Program {
  readonly becomePartner: (user: User) => Promise<Link>;
  readonly recordOrder: (person: object, user: User, order: Paid) => Promise<void>;
  readonly recordRenewal: (user: User, invoice: Paid) => Promise<void>;
  readonly refundOrder: (order: Pick<Paid, 'id'>, refund: Paid) => Promise<void>;
  readonly keepMonth: (account: string, month: string) => Promise<void>;
  readonly dueOn: (account: string, today: string) => Promise<Readonly<Record<string, number>>>;
}

async function start(t: ExecutionContext) {
  const clock = {now: 0};
  const shortener = shortUrl({
    baseUrl: 'https://example.com',
    store: new Map(),
    secret: 'a secret of good length, for tests',
    attribution: {},
    now: () => clock.now,
  });
  t.teardown(() => shortener.close());
  const at = (date: string): void => {
    clock.now = Date.parse(`${date}T12:00:00Z`);
  };
  const kept = new Map<string, Row>();
  const paid = new Map<string, number>();
  const lines: Array<Readonly<Record<string, unknown>>> = [];
  const scope = {
    shortener,
    rows: {
      put: async (account: string, row: Row) => kept.set([account, row.month, row.currency].join(' '), row),
      of: async (account: string) =>
        Array.from(kept).flatMap(([key, row]) => (key.startsWith(`${account} `) ? [row] : [])),
    },
    payouts: {sumOf: async (account: string, currency: string) => paid.get(`${account} ${currency}`) ?? 0},
    lines: {add: (line: Readonly<Record<string, unknown>>) => lines.push(line)},
  };
  const run = compileFunction(
    `${program}\nreturn {becomePartner, recordOrder, recordRenewal, refundOrder, keepMonth, dueOn};`,
    Object.keys(scope),
  ) as (...values: unknown[]) => Program;
  const made = run(...Object.values(scope));
  const ask = await visitorOf(t, new Koa().use(shortener));
  /** A person who comes by a link, as the cookie says. */
  const comeBy = async ({shortUrl: link}: Link): Promise<object> => ({
    via: viaOf((await ask(link)).headers['set-cookie']) ?? '',
  });
  const pay = async (account: string, day: string): Promise<Readonly<Record<string, number>>> => {
    const due = await made.dueOn(account, day);
    for (const [currency, amount] of Object.entries(due)) {
      paid.set(`${account} ${currency}`, (paid.get(`${account} ${currency}`) ?? 0) + amount);
    }
    return due;
  };
  return {...made, shortener, at, comeBy, pay, lines};
}

test('a partner is paid to the cent: net of refunds, by currency, after the hold, and nothing twice', async (t) => {
  const {becomePartner, recordOrder, recordRenewal, refundOrder, keepMonth, at, comeBy, pay, lines} = await start(t);
  at('2030-01-05');
  const link = await becomePartner({id: 'ann'});
  t.is((await becomePartner({id: 'ann'})).shortUrl, link.shortUrl);
  const account = 'partner-ann';
  for (const [index, cents] of [4900, 1999, 12_000].entries()) {
    const order = {id: `order ${index}`, cents, currency: 'EUR'};
    for (let repeat = 0; repeat < 2; repeat++) await recordOrder(await comeBy(link), {id: `user ${index}`}, order);
  }
  await recordOrder(await comeBy(link), {id: 'user 9'}, {id: 'order 9', cents: 1000, currency: 'JPY'});
  await recordOrder(await comeBy(link), {id: 'user 8'}, {id: 'order 8', cents: 99, currency: 'USD'});
  at('2030-02-10');
  await recordRenewal({id: 'user 0'}, {id: 'invoice 1', cents: 3000, currency: 'EUR'});
  for (let repeat = 0; repeat < 2; repeat++) await refundOrder({id: 'order 1'}, {id: 'refund 1', cents: 1999});

  const keep = async (): Promise<void> => {
    for (const month of ['2030-01', '2030-02', '2030-03', '2030-04']) await keepMonth(account, month);
  };
  at('2030-03-01');
  await keep();
  t.deepEqual(await pay(account, '2030-03-01'), {EUR: 0, JPY: 0, USD: 0});
  at('2030-03-02');
  t.deepEqual(await pay(account, '2030-03-02'), {EUR: 3380, JPY: 200, USD: 19});
  t.deepEqual(await pay(account, '2030-03-02'), {EUR: 0, JPY: 0, USD: 0});
  at('2030-03-30');
  await keep();
  t.deepEqual(await pay(account, '2030-03-29'), {EUR: 0, JPY: 0, USD: 0});
  t.deepEqual(await pay(account, '2030-03-30'), {EUR: 600, JPY: 0, USD: 0});

  // A refund after the payout is taken from what comes later.
  at('2030-04-02');
  await refundOrder({id: 'order 2'}, {id: 'refund 2', cents: 12_000});
  await recordRenewal({id: 'user 0'}, {id: 'invoice 2', cents: 15_001, currency: 'EUR'});
  await keep();
  t.deepEqual(await pay(account, '2030-04-03'), {EUR: 0, JPY: 0, USD: 0});
  at('2030-05-30');
  await keep();
  // 20 % of 4900 + 3000 + 15001, without the 39.80 that are paid.
  t.deepEqual(await pay(account, '2030-05-30'), {EUR: 600, JPY: 0, USD: 0});
  t.deepEqual(
    lines.map(({name, id, value, currency}) => [name, id, value, currency]),
    [
      ['order', 'order 0', 4900, 'EUR'],
      ['order', 'order 1', 1999, 'EUR'],
      ['order', 'order 2', 12_000, 'EUR'],
      ['order', 'order 9', 1000, 'JPY'],
      ['order', 'order 8', 99, 'USD'],
      ['renewal', 'invoice 1', 3000, 'EUR'],
      ['renewal', 'invoice 2', 15_001, 'EUR'],
    ],
  );
  t.true(lines.every((line) => line['account'] === account && line['shortUrl'] === link.shortUrl));
});

test('nobody earns by their own orders, nor by what they record by the API', async (t) => {
  const {becomePartner, recordOrder, keepMonth, dueOn, shortener, at, comeBy, lines} = await start(t);
  at('2030-01-05');
  const ann = {id: 'ann'};
  const link = await becomePartner(ann);
  const account = 'partner-ann';
  await recordOrder(await comeBy(link), ann, {id: 'order 1', cents: 5000, currency: 'EUR'});
  await shortener.conversions.identify((await comeBy(link)) as {via: string}, 'ann');
  await recordOrder({via: ''}, ann, {id: 'order 2', cents: 5000, currency: 'EUR'});
  t.deepEqual(lines, []);
  const {apiKey} = await shortener.accounts.create(account);
  const ask = await visitorOf(t, new Koa().use(shortener));
  const {via} = (await comeBy(link)) as {via: string};
  const body = JSON.stringify({name: 'order', id: 'order 3', via, value: 5000, currency: 'EUR'});
  const headers = {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'};
  const answer = await ask('https://example.com/api/v1/shorturl/record_conversion', {method: 'POST', headers, body});
  t.is(answer.status, 200);
  await recordOrder(await comeBy(link), {id: 'bob'}, {id: 'order 4', cents: 700, currency: 'EUR'});
  await keepMonth(account, '2030-01');
  at('2030-03-02');
  t.deepEqual(await dueOn(account, '2030-03-02'), {EUR: 140});
  t.is(lines.length, 1);
});
