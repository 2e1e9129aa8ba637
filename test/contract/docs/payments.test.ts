import {readFile} from 'node:fs/promises';
import {setImmediate as turn} from 'node:timers/promises';
import {compileFunction} from 'node:vm';
import Router from '@koa/router';
import test, {type ExecutionContext} from 'ava';
import Koa from 'koa';
import Stripe from 'stripe';
import {shortUrl} from '../../../src/index.ts';
import {visitorOf} from '../../support/examples/visitor.ts';
import {blocksOf} from '../../support/pages.ts';
import {sold} from '../../support/sold.ts';
import {viaOf} from '../../support/visitor.ts';

const page = await readFile('docs/payments.md', 'utf8');
const [checkout = '', webhook = '', signUp = '', job = ''] = blocksOf(page).map(({code}) => code);

const noon = Date.UTC(2031, 4, 6, 12);
const month = 31 * 24 * 60 * 60_000;
const secret = 'whsec_of_a_test';

/** The payments that Stripe has. */
const intents = new Map<string, object>();

/** The official package, whose calls to Stripe are answered without a network. */
const stripe = new Stripe('sk_test_of_a_test', {
  httpClient: Stripe.createFetchHttpClient(async (address) => {
    const [, , kind, id = ''] = new URL(new Request(address).url).pathname.split('/');
    if (kind === 'payment_intents') return Response.json(intents.get(id));
    return Response.json(kind === 'customers' ? {id: 'cus_1'} : {url: 'https://checkout.example/'});
  }),
});

/** A payment of the first customer that Stripe has. */
function paid(id: string, changes: object = {}): object {
  const intent = {id, status: 'succeeded', customer: 'cus_1', amount_received: 990, currency: 'eur', ...changes};
  intents.set(id, intent);
  return intent;
}

/** As Stripe signs the body of an event. */
function signatureOf(payload: string): string {
  return stripe.webhooks.generateTestHeaderString({payload, secret});
}

async function start(t: ExecutionContext) {
  const clock = {now: noon};
  const store = new Map<string, unknown>();
  const shortener = shortUrl({
    baseUrl: 'https://example.com',
    store,
    secret: 'a secret of good length, for tests',
    attribution: {},
    now: () => clock.now,
  });
  t.teardown(() => shortener.close());
  await shortener.accounts.create('ann');
  const {shortUrl: link} = await shortener.links.create('ann', {url: 'https://destination.example/'});
  const router = new Router();
  const app = new Koa().use(shortener).use(async (ctx, next) => {
    ctx.state['user'] = {email: 'user@mail.example'};
    await next();
  });
  app.use(router.routes());
  const ask = await visitorOf(t, app);
  const via = viaOf((await ask(link)).headers['set-cookie']) ?? '';
  /** Runs a block of the page, with what it takes from its surroundings. Returns what `result` is in it. */
  const run = (code: string, names: object, result = 'undefined'): unknown => {
    const all: Record<string, unknown> = {shortener, router, console: {error: t.fail}, ...names};
    const environment = {process: {env: {STRIPE_WEBHOOK_SECRET: secret}}, Buffer};
    const scope = {...environment, ...all};
    const program = compileFunction(`${code}\nreturn ${result};`, Object.keys(scope)) as (
      ...values: unknown[]
    ) => unknown;
    return program(...Object.values(scope));
  };
  const sales = async () => (await shortener.links.stats('ann', link)).conversions;
  return {clock, shortener, ask, via, run, sales};
}

async function startStripe(t: ExecutionContext) {
  const site = await start(t);
  const {ask, via, run} = site;
  run(checkout, {stripe});
  run(webhook, {stripe});
  const headers = {Cookie: `short_url_via=${via}`};
  t.is(
    (await ask('https://example.com/checkout', {method: 'POST', headers})).headers.location,
    'https://checkout.example/',
  );
  const send = async (type: string, object: object, signature?: string) => {
    const body = JSON.stringify({type, data: {object}});
    const signed = {'Stripe-Signature': signature ?? signatureOf(body), 'Content-Type': 'application/json'};
    return (await ask('https://example.com/stripe', {method: 'POST', headers: signed, body})).status;
  };
  return {...site, send};
}

test('Stripe: a subscription counts from its first payment on, renewals without a cookie, and refunds', async (t) => {
  const {clock, send, sales} = await startStripe(t);
  for (const number of [1, 2, 3]) {
    const intent = paid(`pi_${number}`);
    for (let repeat = 0; repeat < 2; repeat += 1) t.is(await send('payment_intent.succeeded', intent), 204);
    clock.now += 2 * month;
  }
  for (const [id, customer] of Object.entries({pi_4: null, pi_5: 'cus_2'})) {
    t.is(await send('payment_intent.succeeded', paid(id, {customer})), 204);
  }
  t.is(await send('refund.created', {id: 're_1', payment_intent: 'pi_2', amount: 1}, 't=1,v1=forged'), 400);
  for (let repeat = 0; repeat < 2; repeat += 1) {
    t.is(await send('refund.created', {id: 're_1', payment_intent: 'pi_2', amount: 500, currency: 'eur'}), 204);
  }
  t.is(await send('refund.created', {id: 're_2', payment_intent: 'pi_5', amount: 500, currency: 'eur'}), 204);
  const payments = {name: 'payment', currency: 'EUR', conversions: 3, value: 2970, refunds: 1, refunded: 500};
  t.deepEqual(await sales(), [sold(payments)]);
});

test('Stripe: a refund that comes before its payment counts, and the payment once', async (t) => {
  const {send, sales} = await startStripe(t);
  const intent = paid('pi_6');
  t.is(await send('refund.created', {id: 're_6', payment_intent: 'pi_6', amount: 990, currency: 'eur'}), 204);
  t.is(await send('payment_intent.succeeded', intent), 204);
  const payments = {name: 'payment', currency: 'EUR', conversions: 1, value: 990, refunds: 1, refunded: 990};
  t.deepEqual(await sales(), [sold(payments)]);
});

test('Stripe: the amounts of all currencies are those of ISO 4217', async (t) => {
  const {send, sales} = await startStripe(t);
  const given = {isk: 50_000, ugx: 70_000, mga: 500, kwd: 5120, huf: 12_300, jpy: 500};
  for (const [currency, amount] of Object.entries(given)) {
    const intent = paid(`pi_${currency}`, {currency, amount_received: amount});
    t.is(await send('payment_intent.succeeded', intent), 204);
    const refund = {id: `re_${currency}`, payment_intent: `pi_${currency}`, amount, currency};
    t.is(await send('refund.created', refund), 204);
  }
  const entries = (await sales()).map(({currency, value, refunded}) => [currency, [value, refunded]]);
  t.deepEqual(Object.fromEntries(entries), {
    ISK: [500, 500],
    UGX: [700, 700],
    MGA: [50_000, 50_000],
    KWD: [5120, 5120],
    HUF: [12_300, 12_300],
    JPY: [500, 500],
  });
});

interface Hooks {
  readonly databaseHooks: {
    readonly user: {
      readonly create: {
        after: (user: {id: string}, context: {getCookie: (name: string) => string | null} | null) => unknown;
      };
    };
  };
  readonly user: {readonly deleteUser: {afterDelete: (user: {id: string}) => unknown}};
}

test('better-auth: a user who signs up is identified, and forgotten with the account', async (t) => {
  const {via, run, shortener} = await start(t);
  const auth = run(signUp, {betterAuth: (options: object) => options, database: {}}, 'auth') as Hooks;
  const {after} = auth.databaseHooks.user.create;
  await after({id: 'a'}, {getCookie: (name) => (name === 'short_url_via' ? via : null)});
  await after({id: 'b'}, {getCookie: () => null});
  await after({id: 'c'}, null);
  const known = (customer: string) => shortener.conversions.find({customer});
  t.like(await known('a'), {account: 'ann'});
  for (const customer of ['b', 'c']) t.is(await known(customer), undefined);
  await auth.user.deleteUser.afterDelete({id: 'a'});
  t.is(await known('a'), undefined);
});

interface Order {
  readonly id: number;
  readonly cents: number;
  readonly isCounted: boolean;
}

test('a job counts each order once, also one that it has counted and not marked', async (t) => {
  const {via, run, sales} = await start(t);
  const table: Order[] = [];
  let fails = true;
  const orders = {
    add: async (order: Omit<Order, 'id'>) => table.push({id: table.length, ...order}),
    where: async () => table.filter(({isCounted}) => !isCounted),
    async update(id: number) {
      if (fails) throw new Error('The process dies here.');
      for (const order of table.splice(id, 1)) table.splice(id, 0, {...order, isCounted: true});
    },
  };
  const jobs: Array<() => Promise<void>> = [];
  const setInterval = (work: () => Promise<void>) => ({unref: () => jobs.push(work)});
  const buy = run(job, {orders, setInterval, console: {error: () => undefined}}, 'buy') as (
    ctx: object,
    cents: number,
  ) => Promise<unknown>;
  await buy({cookies: {get: () => via}, state: {}}, 4900);
  for (let repeat = 0; repeat < 3; repeat += 1) {
    await jobs[0]?.();
    await turn();
    fails = false;
  }
  t.true(table[0]?.isCounted);
  t.deepEqual(await sales(), [sold({conversions: 1, value: 4900})]);
});
