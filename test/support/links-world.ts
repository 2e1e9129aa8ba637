import {linkKey} from '../../src/keys.ts';
import {type LinkEvent} from '../../src/links/events.ts';
import {Seal} from '../../src/accounts/seal.ts';
import {Announcer} from '../../src/links/announcer.ts';
import {Bases, type LinkName} from '../../src/link/bases.ts';
import {Intents} from '../../src/links/create/intents.ts';
import {Links} from '../../src/links/links.ts';
import type {LinkServices} from '../../src/links/services.ts';
import {LinkIndex} from '../../src/links/list/link-index.ts';
import {type LinkRecord} from '../../src/link/record.ts';
import {buildServices} from '../../src/shortener/services.ts';
import type {Store} from '../../src/store/port.ts';
import {intercepted, memoryStore} from './store-stub.ts';

export const account = {id: 'user-42', generation: 'life-1'};
export const noon = Date.UTC(2031, 4, 6, 12);
export const url = 'https://destination.example/page';
export const domain = 'example.com';

export interface World {
  readonly links: Links;
  readonly store: Store;
  readonly clock: {now: number};
  /** The events so far, and the links that redirects were told to forget. */
  readonly events: Array<[kind: string, event: LinkEvent]>;
  readonly forgotten: string[];
  /** The store operations so far. */
  readonly asked: Array<keyof Store>;
  /** Runs before each operation. */
  before: (operation: keyof Store) => unknown;
}

/** The operations on links, with a store in memory and a clock that the test sets. */
export function start({store: given, ...changed}: Partial<LinkServices> = {}): World {
  const clock = {now: noon};
  const now = (): number => clock.now;
  const store = given ?? memoryStore(now);
  const announcer = new Announcer();
  const events: World['events'] = [];
  for (const kind of ['create', 'disable', 'enable', 'update', 'remove'] as const) {
    announcer.events.on(kind, (event) => events.push([kind, event]));
  }
  const forgotten: string[] = [];
  const asked: Array<keyof Store> = [];
  const seen = intercepted(store, async (operation) => {
    asked.push(operation);
    await world.before(operation);
  });
  const links = new Links({
    ...buildServices(store, {bases: new Bases(`https://${domain}`, ['sho.rt']), secrets: ['a secret'], now}, announcer),
    store: seen,
    linkIndex: new LinkIndex(seen),
    accounts: {recheck: (open) => Promise.resolve(open)},
    intents: new Intents(seen, new Seal(['a secret'])),
    redirects: {forget: (name) => void forgotten.push(linkKey(name))},
    ...changed,
  });
  const world: World = {links, store, clock, events, forgotten, asked, before: () => undefined};
  return world;
}

/** The stored record of a link. */
export async function recordOf({store}: World, name: LinkName): Promise<LinkRecord | undefined> {
  return (await store.get<LinkRecord>(linkKey(name)))?.value;
}

/** Replaces the record directly in the store; undefined removes it. */
export async function put({store}: World, name: LinkName, record: LinkRecord | undefined): Promise<void> {
  await store.remove(linkKey(name));
  if (record) await store.insert(linkKey(name), record);
}

export const spring: LinkName = {domain, slug: 'spring'};
