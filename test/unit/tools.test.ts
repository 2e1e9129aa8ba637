import test from 'ava';
import {exported} from '../support/tools/text.ts';
import {type Place, runSite, secret} from '../support/tools/world.ts';
import {viaOf} from '../support/visitor.ts';
import {
  type CheckOptions,
  checkStore,
  type CopyOptions,
  copyStore,
  exportLinks,
  type ExportOptions,
  importLinks,
  type ImportOptions,
  plan,
  type PlanOptions,
  reseal,
  type ResealOptions,
  type RestoreOptions,
  type ToolError,
} from '../../src/tools.ts';

/** Each tool with a misspelt option, and the name that its error suggests. */
const tools: ReadonlyArray<readonly [misspelt: string, meant: string, run: (options: never) => Promise<unknown>]> = [
  ['acount', 'account', (options: ExportOptions) => exportLinks(options)],
  ['toNameSpace', 'toNamespace', (options: CopyOptions) => copyStore(options)],
  ['baseURL', 'baseUrl', (options: CheckOptions) => checkStore(options)],
  ['secrets', 'secret', (options: ResealOptions) => reseal(options)],
  ['storeTimeOut', 'storeTimeout', (options: PlanOptions) => plan(options)],
  ['timezone', 'timeZone', (options: ImportOptions) => importLinks(options)],
  ['nameSpace', 'namespace', (options: RestoreOptions) => importLinks({...options, format: 'ndjson'})],
];

test('a tool refuses a misspelt option and suggests the name that was meant', async (t) => {
  for (const [misspelt, meant, run] of tools) {
    const {message} = await t.throwsAsync(run({[misspelt]: 'value'} as never), {
      instanceOf: TypeError,
    });
    t.true(message.endsWith(`got \`${misspelt}\`. Did you mean \`${meant}\`?`), message);
  }
});

/** Options of each tool that are right, to which a wrong one is added. */
const complete: ReadonlyArray<readonly [run: (options: never) => Promise<unknown>, options: object, own: string]> = [
  [exportLinks, {store: 'sqlite:absent.db', to: process.stdout}, 'to format onProgress'],
  [copyStore, {from: 'sqlite:absent.db', to: 'sqlite:new.db'}, 'toNamespace overwrite ignoreCase onProgress'],
  [checkStore, {store: 'sqlite:absent.db'}, 'clean'],
  [reseal, {store: 'sqlite:absent.db', secret: 'x'.repeat(32)}, 'secret newSiteKey onProgress onUnopened'],
  [plan, {store: 'sqlite:absent.db'}, ''],
  [importLinks, {format: 'ndjson', store: 'sqlite:absent.db', file: 'absent'}, 'file strict onReport onProgress'],
  [
    importLinks,
    {format: 'csv', store: 'sqlite:absent.db', file: 'absent', account: 'ann', baseUrl: 'https://example.com'},
    'account createAccount baseDomain allowUrl format file xml siteTimeout language open table onProgress onReport now',
  ],
];
const ofSite = 'namespace storeTimeout baseUrl baseDomains reserved shortParts schemes timeZone';

test('a tool refuses a wrong value of any option before it does anything, and names the option', async (t) => {
  for (const [run, options, own] of complete) {
    for (const name of `${own} ${ofSite}`.split(' ').filter(Boolean)) {
      for (const value of [null, Number.NaN, 'no such value!', Symbol('value'), [5]]) {
        const mayBeText = /^(?:to|file|account|baseDomain|table|baseUrl|baseDomains|reserved)$/.test(name);
        if ((mayBeText && typeof value === 'string') || (name === 'file' && Array.isArray(value))) continue;
        const {message} = await t.throwsAsync(run({...options, [name]: value} as never), {instanceOf: TypeError});
        t.regex(message, new RegExp(`^Expected .*\\b${name}\\b.* to (?:be|have) `), `${name} ${String(value)}`);
      }
    }
  }
});

test('a tool without options says that it expects an object', async (t) => {
  for (const run of [exportLinks, copyStore, checkStore, reseal, importLinks, plan] as Array<() => Promise<unknown>>) {
    await t.throwsAsync(run(), {instanceOf: TypeError, message: 'Expected the options to be an object, got undefined'});
  }
});

test('an export to anything but a stream is refused', async (t) => {
  for (const to of ['backup.ndjson', undefined, {}]) {
    const options = {store: new Map(), to} as unknown as ExportOptions;
    await t.throwsAsync(exportLinks(options), {instanceOf: TypeError, message: /^Expected `to` to be a stream/});
  }
});

test('no damaged record makes a tool fail in a way that says nothing', async (t) => {
  const place: Place = {store: new Map(), attribution: {}};
  const {shortener, visit} = await runSite(t, place);
  await shortener.accounts.create('ann');
  const link = {url: 'https://a.example/', reference: 'r', reuse: true};
  const {shortUrl} = await shortener.links.create('ann', link, {idempotencyKey: 'once'});
  const via = viaOf((await visit(shortUrl)).headers['set-cookie']);
  await shortener.conversions.record({via}, {name: 'order', id: 1, value: 5, currency: 'EUR', customer: 1});
  await exported({store: place.store});
  const records = place.store as ReadonlyMap<string, unknown>;
  const failed: string[] = [];
  for (const [key, whole] of records) {
    // Counters are in another form.
    if (typeof whole !== 'string') continue;
    for (const text of ['{}', '{']) {
      const store = new Map(records).set(key, text);
      for (const run of [
        () => checkStore({store, secret, clean: true}),
        () => exported({store}),
        () => exported({store, format: 'csv'}),
        () => exported({store, account: 'ann'}),
        () => copyStore({from: store, to: new Map()}),
        () => copyStore({from: store, to: new Map(), ignoreCase: true}),
        () => reseal({store, secret: ['another-secret-of-good-length-01', secret]}),
      ]) {
        const error: unknown = await run().catch((reason: unknown) => reason);
        if (error instanceof Error && !('code' in error))
          failed.push(`${key} ${text} ${String(run)}: ${error.stack?.slice(0, 300)}`);
      }
    }
  }
  t.deepEqual(failed, []);
});

test('a host can pass the options of its site to every tool', async (t) => {
  const site = {
    store: 'sqlite:absent.db',
    secret: 'a-secret-of-good-length-0123456789',
    baseUrl: 'https://example.com',
  };
  for (const run of [
    () => exportLinks({...site, to: process.stdout}),
    () => copyStore({...site, from: site.store, to: site.store}),
    () => checkStore(site),
    () => reseal(site),
    () => importLinks({...site, account: 'ann', format: 'csv', file: 'absent.csv'}),
  ]) {
    await t.throwsAsync<ToolError>(run, {code: 'nothing_there'});
  }
});
