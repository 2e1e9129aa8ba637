import {linkRecords} from '../../src/link/records.ts';
import {type LinkEvent} from '../../src/links/events.ts';
import {Seal} from '../../src/accounts/seal.ts';
import {SiteKey} from '../../src/accounts/site-key.ts';
import {Announcer} from '../../src/links/announcer.ts';
import {Bases, type LinkName} from '../../src/link/bases.ts';
import {Intents} from '../../src/links/create/intents.ts';
import {block as blockLink, unblock as unblockLink} from '../../src/links/change/block.ts';
import {linksOf} from '../../src/links/links.ts';
import type {LinkServices} from '../../src/links/services.ts';
import {LinkIndex} from '../../src/links/read/link-index.ts';
import type {Link} from '../../src/link/link.ts';
import {type LinkRecord} from '../../src/link/record.ts';
import {buildServices} from '../../src/shortener/services.ts';
import type {Store} from '../../src/store/port.ts';
import {intercepted, memoryStore, outage} from './store-stub.ts';

export const account = {id: 'user-42', generation: 'life-1'};
export const noon = Date.UTC(2031, 4, 6, 12);
export const url = 'https://destination.example/page';
export const domain = 'example.com';

export type World = ReturnType<typeof start>;

/** The operations on links, with a store in memory and a clock that the test sets. */
export function start({store: given, ...changed}: Partial<LinkServices> = {}) {
  const clock = {now: noon};
  const now = (): number => clock.now;
  const store = given ?? memoryStore(now);
  const world = {
    store,
    clock,
    /** The events so far, and the links that redirects were told to forget. */
    events: [] as Array<[kind: string, event: LinkEvent]>,
    forgotten: [] as string[],
    /** The store operations so far. */
    asked: [] as Array<keyof Store>,
    /** Runs before each operation. */
    before: (() => undefined) as (operation: keyof Store) => unknown,
  };
  const announcer = new Announcer();
  for (const kind of ['create', 'disable', 'enable', 'update', 'remove'] as const) {
    announcer.events.on(kind, (event) => world.events.push([kind, event]));
  }
  const seen = intercepted(store, async (operation) => {
    world.asked.push(operation);
    await world.before(operation);
  });
  const services: LinkServices = {
    ...buildServices(store, {bases: new Bases(`https://${domain}`, ['sho.rt']), secrets: ['a secret'], now}, announcer),
    store: seen,
    linkIndex: new LinkIndex(seen),
    accounts: {recheck: (open) => Promise.resolve(open)},
    intents: new Intents(seen, new SiteKey(seen, new Seal(['a secret']))),
    redirects: {forget: (name) => void world.forgotten.push(linkRecords.key(name))},
    ...changed,
  };
  return Object.assign(world, {services, links: linksOf(services)});
}

/** Worlds in which every operation after the first ones fails: after none, after one, and so on, until none has to. */
export function* worldsCutOff(step = 1): Generator<{first: World; survived: number; wasCut: () => boolean}> {
  for (let survived = 0, isOver = false; !isOver; survived += step) {
    let count = 0;
    const first = start();
    first.before = () => {
      if (count++ >= survived) throw outage();
    };
    const wasCut = (): boolean => count > survived;
    yield {first, survived, wasCut};
    isOver = !wasCut();
  }
}

/** Blocks a link as the operator does. */
export async function block(world: World, shortUrl: string): Promise<Link> {
  return blockLink(world.services, await recordAt(world, shortUrl));
}

/** Unblocks a link as the operator does. */
export async function unblock(world: World, shortUrl: string): Promise<Link> {
  return unblockLink(world.services, await recordAt(world, shortUrl));
}

async function recordAt(world: World, shortUrl: string): Promise<LinkRecord> {
  const name = world.services.bases.parseShortUrl(shortUrl);
  const record = name && (await recordOf(world, name));
  if (record === undefined) throw new Error(`There is no link at ${shortUrl}`);
  return record;
}

/** The stored record of a link. */
export async function recordOf({store}: World, name: LinkName): Promise<LinkRecord | undefined> {
  return (await store.get<LinkRecord>(linkRecords.key(name)))?.value;
}

/** Replaces the record directly in the store; undefined removes it. */
export async function put({store}: World, name: LinkName, record: LinkRecord | undefined): Promise<void> {
  await store.remove(linkRecords.key(name));
  if (record) await store.insert(linkRecords.key(name), record);
}

export const spring: LinkName = {domain, slug: 'spring'};
