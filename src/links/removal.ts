import {setImmediate, setTimeout as delay} from 'node:timers/promises';
import {ShortUrlError} from '../errors.ts';
import type {Entry, Store} from '../store/port.ts';
import {update} from '../store/update.ts';
import type {LinkName} from './bases.ts';
import {readPlaces} from './places.ts';
import {linkKey, type LinkRecord, positionsKey, removedRecord} from './record.ts';
import type {Redirects} from './redirects.ts';

/** Links that are removed at once: few, so that visitors find a connection to the store. */
const atOnce = 3;

/** How often, and at which pauses in milliseconds, a pending link of another account is looked at again. */
const maxTries = 50;
const tryPause = 20;

/** Places that are read at once: few, because the records behind them may be long. */
const chunk = 50;

/**
 * Takes all links of an owner out of service for good. A place whose link is absent may belong to a creation that is
 * under way: the name is taken then, so that the link can no longer be inserted.
 */
export async function removeAll(
  store: Store,
  {id, owner}: {readonly id: string; readonly owner: string},
  redirects: Pick<Redirects, 'forget'>,
): Promise<void> {
  const last = await store.current(positionsKey(owner));
  let isEnd = false;
  for (let start = 1; !isEnd; start += chunk) {
    const positions = Array.from({length: chunk}, (_, index) => start + index);
    const places = await readPlaces(store, owner, positions);
    const names = places.filter((name) => name !== undefined);
    // A failover may have lost the last positions that were given, and not their links.
    isEnd = start + chunk > last && names.length === 0;
    const links = await store.getMany<LinkRecord>(names.map(linkKey));
    const rest = names.entries();
    const removeSome = async (): Promise<void> => {
      for (const [index, name] of rest) {
        await remove(name, links[index]).finally(() => {
          redirects.forget(name);
        });
      }
    };
    await Promise.all(Array.from({length: atOnce}, removeSome));
    // A store within the process answers without a pause.
    await setImmediate();
  }

  /** A pending link of another account may be gone in a moment, and then the name would be free for ours. */
  async function settled(key: string, found: Entry<LinkRecord> | undefined): Promise<Entry<LinkRecord> | undefined> {
    let entry = found;
    for (let tries = 0; tries < maxTries && entry?.value.state === 'pending'; tries += 1) {
      if (entry.value.owner === owner) break;
      await delay(tryPause);
      entry = await store.get<LinkRecord>(key);
    }
    return entry;
  }

  async function remove(name: LinkName, found: Entry<LinkRecord> | undefined): Promise<void> {
    const key = linkKey(name);
    const entry = await settled(key, found);
    // Without an owner nobody can create it anew, not even a creation of this account that is still under way.
    const removed = removedRecord(name, {account: id, owner: ''});
    if (entry === undefined) {
      if (await store.insert(key, removed)) return;
    } else {
      if (entry.value.owner !== owner) return;
      if (await store.replace(key, entry.revision, removed)) return;
    }
    try {
      await update<LinkRecord>(store, key, (link) => (link.owner === owner ? removed : undefined));
    } catch (error) {
      // A record that cannot be read redirects nobody.
      if (!(error instanceof ShortUrlError) || error.code !== 'internal_error') throw error;
    }
  }
}
