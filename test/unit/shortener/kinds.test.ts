import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {LiveAccount} from '../../../src/accounts/record.ts';
import type {Shape} from '../../../src/values/shape.ts';
import {Bases} from '../../../src/link/bases.ts';
import {packing} from '../../../src/link/packing.ts';
import {linkRecords} from '../../../src/link/records.ts';
import {siteKinds} from '../../../src/shortener/kinds.ts';
import {buildServices} from '../../../src/shortener/services.ts';
import type {AnyKind} from '../../../src/store/kind.ts';
import {openStore} from '../../../src/store/opening/open.ts';
import {checkStore} from '../../../src/tools/check/check.ts';
import {copyStore} from '../../../src/tools/copy/copy.ts';
import {importNdjson} from '../../../src/tools/import/import-ndjson.ts';
import {isMovable} from '../../../src/tools/kinds.ts';
import {exported, partsOf} from '../../support/tools/text.ts';
import {dump, noon, secret} from '../../support/tools/world.ts';

const day = 24 * 60 * 60_000;
const kinds: readonly AnyKind[] = siteKinds;

/** A value of the form. Its members that say whose it is are those of the account. */
function sampleOf({membersOf, holds}: Shape, {generation}: LiveAccount, name = ''): unknown {
  if (name === 'generation') return generation;
  if (membersOf) {
    const members = Object.entries(membersOf({}));
    return Object.fromEntries(
      members.map(([member, form]) => [member, sampleOf(form, {generation} as LiveAccount, member)]),
    );
  }
  const later = noon + day;
  return ['text', later, true, 'EUR', [later], ['text'], []].find((value) => holds(value));
}

/** A site whose accounts can get a record of every kind. */
function start() {
  const clock = {now: noon};
  const now = (): number => clock.now;
  const map = new Map<string, unknown>();
  const store = openStore(map, {namespace: 'shorturl', packing: {...packing, ignoresCase: false}, now});
  const services = buildServices(store, {bases: new Bases('https://example.com', []), secrets: [secret], now});

  /** The keys of a record of every kind, for an account. */
  const fill = async (name: string, customUrl: string): Promise<ReadonlyMap<string, AnyKind>> => {
    await services.accounts.create(name);
    const account = await services.accounts.require(name);
    const url = 'https://destination.example/';
    await services.links.create(account, {url, customUrl, reference: 'order 1', reuse: true});
    const entry = await linkRecords.in(store).get({domain: 'example.com', slug: customUrl});
    if (entry === undefined) throw new Error('There is no link');
    const link = entry.value;
    const made = new Map<string, AnyKind>();
    for (const kind of kinds) {
      const listed = kind.prefixOf ? [`${kind.prefixOf(account)}1`] : [];
      const expiring = kind.removed === 'by expiry' ? [`${kind.prefix}${customUrl.toLowerCase()}`] : [];
      for (const key of [...kind.keysOf(account), ...kind.keysOfLink(link), ...listed, ...expiring]) {
        made.set(key, kind);
        if (kind.isCounters) {
          await store.setCounters([[key, {counts: new Map([['v', 1]]), at: noon}]]);
        } else if (kind.form && (await store.get(key)) === undefined) {
          const value = sampleOf(kind.form, account);
          if (!kind.form.holds(value)) throw new Error(`No value of ${kind.name}`);
          await store.insert(key, value, kind.expiryOf(value));
        }
      }
    }
    return made;
  };
  return {clock, map, store, services, fill};
}

test('the removal of an account ends each kind of record that it has, and none of another account', async (t) => {
  const {clock, map, store, services, fill} = start();
  const isThere = async (key: string, {isCounters}: AnyKind): Promise<boolean> =>
    isCounters ? ((await store.getCounters([key]))[0]?.counts.size ?? 0) > 0 : (await store.get(key)) !== undefined;

  const person = 'ann.smith@mail.example';
  const own = await fill(person, 'spring');
  const others = await fill('bob', 'autumn');
  const covered = new Set([...own.values()].map(({name}) => name));
  t.deepEqual(
    kinds.filter(({name, removed}) => !covered.has(name) && removed !== 'never').map(({name}) => name),
    ['l'],
  );
  for (const [key, kind] of [...own, ...others]) t.true(await isThere(key, kind), key);
  const {generation} = await services.accounts.require(person);

  await services.accounts.remove(person);
  for (const [key, kind] of own) t.is(await isThere(key, kind), kind.removed === 'by expiry', key);
  for (const [key, kind] of others) t.true(await isThere(key, kind), key);
  for (const [key, value] of await dump({store: map})) {
    const text = JSON.stringify([key, value]);
    t.false(text.includes('ann.smith'), text);
    t.true(own.has(key) || !text.includes(generation), text);
  }
  clock.now += 3 * 366 * day;
  for (const [key, kind] of own) t.false(await isThere(key, kind), key);
});

/** What is stored, without what belongs to the store itself and the lists of the site, which an import makes again. */
async function contentOf(store: Map<string, unknown>): Promise<ReadonlyMap<string, unknown>> {
  const all = await dump({store});
  return new Map(all.filter(([key]) => isMovable(key) && !key.startsWith('list:site:') && key !== 'site'));
}

test('each kind of record is in a copy, in an export and its import, and in lower case where names are folded', async (t) => {
  const {map, fill} = start();
  const made = await fill('ann', 'Spring');
  const expected = await contentOf(map);
  for (const [key, {name}] of made) if (!key.startsWith('list:site:')) t.true(expected.has(key), name);

  const copied = new Map<string, unknown>();
  await copyStore({from: map, to: copied});
  t.deepEqual(await contentOf(copied), expected);
  const {text} = await exported({store: map});
  const imported = new Map<string, unknown>();
  await importNdjson({store: imported, file: partsOf(text)});
  t.deepEqual(await contentOf(imported), expected);

  const folded = new Map<string, unknown>();
  await copyStore({from: map, to: folded, ignoreCase: true});
  const lower = await contentOf(folded);
  t.is(lower.size, expected.size);
  // What has the name of the link has the folded one, in its key and in its value.
  for (const [key, value] of lower) t.notRegex(JSON.stringify([key, value]), /Spring/, key);
});

/** Damages that a hand or another program may do to a record. */
const damages: Readonly<Record<string, (value: unknown) => unknown>> = {
  'no value': () => null,
  'another type': (value) => (Array.isArray(value) ? {} : []),
  'a member more': (value) => (Array.isArray(value) ? [...(value as unknown[]), {}] : {...membersOf(value), more: 1}),
  'a member of another type': (value) => {
    if (Array.isArray(value)) return [{}, ...(value as unknown[]).slice(1)];
    const last = Object.keys(membersOf(value)).slice(-1);
    return {...membersOf(value), ...Object.fromEntries(last.map((name) => [name, [{}]]))};
  },
};

const membersOf = (value: unknown): object => Object(value) as object;

for (const [what, damage] of Object.entries(damages)) {
  test(`a check finds a record of each kind that was damaged by hand: ${what}`, async (t) => {
    const {map, fill} = start();
    const made = await fill('ann', 'spring');
    t.true((await checkStore({store: map, secret})).ok);
    const stored = Array.from(map.keys()).map((key) => key.replace('shorturl:', ''));
    const damaged = new Set<string>();
    for (const key of stored) {
      const before = map.get(`shorturl:${key}`);
      const kind = made.get(key) ?? kinds.find(({prefix, name}) => key === name || key.startsWith(prefix));
      // Of some kinds any object is one.
      if (kind?.form === undefined || typeof before !== 'string' || key.startsWith('l:')) continue;
      const record = JSON.parse(before) as {value: unknown};
      const value = damage(record.value);
      if (kind.form.holds(value)) continue;
      map.set(`shorturl:${key}`, JSON.stringify({...record, value}));
      const report = await checkStore({store: map, secret});
      t.like(report.findings[0], {severity: 'problem', code: 'damaged_records'}, key);
      t.true(report.findings[0]?.message.includes(key), report.findings[0]?.message);
      map.set(`shorturl:${key}`, before);
      damaged.add(kind.name);
    }
    t.true(damaged.size >= 12, Array.from(damaged).join());
  });
}

test('a check finds a link that is disabled because of a value that no link can have', async (t) => {
  const {map, fill} = start();
  await fill('ann', 'spring');
  const key = 'shorturl:l:{example.com:spring}';
  const {value} = JSON.parse(String(map.get(key))) as {value: readonly [string, object]};
  for (const wrong of [{title: 1}, {end: 'tomorrow'}, {rules: [{url: 'javascript:alert(1)'}]}, {broken: {}}]) {
    map.set(key, JSON.stringify({value: [value[0], {...value[1], ...wrong}]}));
    t.like((await checkStore({store: map})).findings[0], {severity: 'problem', code: 'damaged_records'});
  }
});

test('a check says nothing of a link with a property of a later version, which the site ignores', async (t) => {
  const {map, fill} = start();
  await fill('ann', 'spring');
  const key = 'shorturl:l:{example.com:spring}';
  const {value} = JSON.parse(String(map.get(key))) as {value: readonly [string, object]};
  map.set(key, JSON.stringify({value: [value[0], {...value[1], later: 1}]}));
  t.true((await checkStore({store: map, secret})).ok);
});
