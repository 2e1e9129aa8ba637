import {setTimeout as delay} from 'node:timers/promises';
import {planted} from '../planted.ts';
import {unavailable} from '../errors.ts';
import type {Entry, Store} from './port.ts';

/** The maximum number of attempts. */
const maxTries = 100;

/** The longest pause before a retry, in milliseconds. */
const maxPause = 20;

/** An entry that was read, or undefined if there was none. `upsert` notes here what it has stored. */
export interface Reading<Value> {
  entry: Entry<Value> | undefined;
}

/**
 * Replaces a record by the result of `change`. It starts again if another caller was faster. `change` returns undefined
 * to leave the record unchanged.
 *
 * @param expiresOf as in `upsert`
 * @param read as in `upsert`
 * @returns the new record, or undefined if there is none
 * @throws ShortUrlError `store_unavailable` after a hundred attempts
 */
export async function update<Value>(
  store: Store,
  key: string,
  change: (value: Value) => Value | undefined | Promise<Value | undefined>,
  expiresOf?: (value: Value) => number,
  read?: Reading<Value>,
): Promise<Value | undefined> {
  let outcome: Value | undefined;
  const changed = async (value: Value | undefined): Promise<Value | undefined> => {
    const next = value === undefined ? undefined : await change(value);
    outcome = next ?? value;
    return next;
  };
  await upsert<Value>(store, key, changed, expiresOf, read);
  return outcome;
}

/**
 * Removes a record of which `isOver` holds. One that another caller has changed meanwhile stays.
 *
 * @returns what was removed
 */
export async function removeIf<Value>(
  store: Store,
  key: string,
  isOver: (value: Value) => boolean,
): Promise<Value | undefined> {
  const entry = await store.get<Value>(key);
  if (entry === undefined || !isOver(entry.value)) return undefined;
  return (await store.removeUnchanged(key, entry.revision)) ? entry.value : undefined;
}

/**
 * Inserts a record, or replaces it by the result of `change`, which gets undefined if there is no record. It starts again
 * if another caller was faster. If `change` returns undefined, nothing is stored.
 *
 * @param expiresOf when the new record expires, as in `Store.insert`; by default with the old one, or never
 * @param read an earlier reading to begin with. What was stored takes its place
 */
export async function upsert<Value>(
  store: Store,
  key: string,
  change: (value: Value | undefined) => Value | undefined | Promise<Value | undefined>,
  expiresOf?: (value: Value) => number,
  read?: Reading<Value>,
): Promise<void> {
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const entry = tries === 1 && read ? read.entry : await store.get<Value>(key);
    const next = await change(entry?.value);
    if (next === undefined) return;
    const expires = expiresOf ? expiresOf(next) : entry?.expires;
    const seen = planted('blind-change') && entry ? await store.get(key) : entry;
    if (seen === undefined) {
      if (await store.insert(key, next, expires)) return;
    } else {
      const replaced = await store.replace(key, seen.revision, next, expires);
      if (read && replaced) read.entry = replaced;
      if (replaced) return;
    }
    // The pauses are random, so that two callers do not conflict again.
    if (tries > 1) await delay(Math.random() * Math.min(tries, maxPause));
  }
  throw unavailable('The record is being changed by too many callers at once.');
}
