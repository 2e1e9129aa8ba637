import {setImmediate, setTimeout as delay} from 'node:timers/promises';
import {ShortUrlError} from '../../host/errors.ts';
import type {Entry, Store} from '../../store/port.ts';
import {update} from '../../store/update.ts';
import type {LinkName} from '../bases.ts';
import {readSlots} from '../list/link-index.ts';
import {linkKey, type LinkRecord, positionsKey, removedRecord} from '../record.ts';
import type {Redirects} from '../../visits/redirects.ts';

/** Links that are removed at once. The number is small, so that visits get a connection to the store. */
const atOnce = 3;

/** Pauses in milliseconds before a pending link of another account is read again. */
const maxTries = 50;
const tryPause = 20;

/** Slots that are read at once. The number is small, because their records may be long. */
const chunk = 50;

/**
 * Removes all links of a generation for good. A slot whose link is absent may belong to a creation that is still running,
 * so the removal takes the name, and the link can no longer be inserted.
 */
export async function removeAll(
  store: Store,
  {id, generation}: {readonly id: string; readonly generation: string},
  redirects: Pick<Redirects, 'forget'>,
): Promise<void> {
  const last = await store.current(positionsKey(generation));
  let isEnd = false;
  for (let start = 1; !isEnd; start += chunk) {
    const positions = Array.from({length: chunk}, (_, index) => start + index);
    const slots = await readSlots(store, generation, positions);
    const names = slots.filter((name) => name !== undefined);
    // A failover may have lost the last positions of the sequence but kept their links.
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
    // A store within the process answers without a pause, so a long removal would block other requests.
    await setImmediate();
  }

  /** A pending link of another account may disappear, and then this account's creation could take the name. */
  async function settled(key: string, found: Entry<LinkRecord> | undefined): Promise<Entry<LinkRecord> | undefined> {
    let entry = found;
    for (let tries = 0; tries < maxTries && entry?.value.state === 'pending'; tries += 1) {
      if (entry.value.generation === generation) break;
      await delay(tryPause);
      entry = await store.get<LinkRecord>(key);
    }
    return entry;
  }

  async function remove(name: LinkName, found: Entry<LinkRecord> | undefined): Promise<void> {
    const key = linkKey(name);
    const entry = await settled(key, found);
    // Without a generation the name cannot be created again, not even by a creation of this account that is still running.
    const removed = removedRecord(name, {account: id, generation: ''});
    if (entry === undefined) {
      if (await store.insert(key, removed)) return;
    } else {
      if (entry.value.generation !== generation) return;
      if (await store.replace(key, entry.revision, removed)) return;
    }
    try {
      await update<LinkRecord>(store, key, (link) => (link.generation === generation ? removed : undefined));
    } catch (error) {
      // A record that cannot be read does not redirect, so it can stay.
      if (!(error instanceof ShortUrlError) || error.code !== 'internal_error') throw error;
    }
  }
}
