import {setTimeout as delay} from 'node:timers/promises';
import {nanoid} from 'nanoid';
import {planted} from '../planted.ts';
import {object} from '../values/objects.ts';
import {text} from '../values/shape.ts';
import {isSameName} from '../link/bases.ts';
import {isSameLink, type LinkRecord, raised, removedRecord} from '../link/record.ts';
import {changing, referenceTaken} from '../link/refusals.ts';
import {linkRecords} from '../link/records.ts';
import {type IdOf, kind, plainDigest, type RecordOf} from '../store/kind.ts';
import type {Entry, Store} from '../store/port.ts';

/** The key shows nothing of the reference. */
export const referenceRecords = kind('reference', {
  keys: ['reference:<digest>'],
  content: 'the link that has a reference, or is about to get it',
  key: ({generation, reference}: {readonly generation: string; readonly reference: string}) => [
    plainDigest(generation, reference),
  ],
  form: object({
    domain: text,
    slug: text,
    generation: text,
    counters: text,
    /** Random, so that no pointer is mistaken for an earlier one to the same link. */
    stamp: text,
  }),
  names: 'itself',
  removed: 'with its link',
  ofLink: ({generation, reference}) => (reference === undefined ? [] : [{generation, reference}]),
});

/** The record of a reference: the link that has it, if the link's record has it too, or is about to get it. */
export type ReferenceRecord = RecordOf<typeof referenceRecords>;

export type ReferenceId = IdOf<typeof referenceRecords>;

export interface Held {
  readonly id: ReferenceId;
  readonly stamp: string;
}

type Holder = Pick<LinkRecord, 'domain' | 'slug' | 'generation' | 'counters'> & {
  readonly reference?: string | undefined;
};

/** Pauses in milliseconds for a call that is writing its link, before it counts as killed. */
const maxPauses = 25;
const pause = 20;

const maxTries = 500;

/**
 * Points the reference of a link to it, if it has one. Call it after reading the record that the link replaces, if there
 * is one, and write the link after it. So of any number of links exactly one gets the reference.
 *
 * If the pointer leads to a link without the reference, another call is about to write that link, or was killed before.
 * This call waits for half a second. Then it takes the pointer: it first changes the record under the other link's name,
 * so that the other call's write fails, and then replaces the pointer, unless the other call has renewed it.
 *
 * @param earlier the result for the same link before
 * @returns what to `release` if the link is not written; undefined if another call is writing the same link
 * @throws ShortUrlError `reference_taken`
 */
export async function hold(
  store: Store,
  {domain, slug, generation, counters, reference}: Holder,
  earlier?: Held,
): Promise<Held | undefined> {
  if (reference === undefined) return undefined;
  const id = {generation, reference};
  const references = referenceRecords.in(store);
  const pointer: ReferenceRecord = {domain, slug, generation, counters, stamp: nanoid(6)};
  const {stamp} = pointer;
  const waiting = {stamp: '', pauses: 0};
  for (let tries = 0; tries < maxTries; tries += 1) {
    const entry = await references.get(id);
    if (entry === undefined) {
      if ((await references.insert(id, pointer)) || planted('reference-twice')) return {id, stamp};
      continue;
    }
    const {value: held, revision} = entry;
    const isOwn = isSameLink(held, pointer);
    if (!isOwn || !isSameName(held, pointer)) {
      const found = await linkRecords.in(store).get(held);
      if (hasReference(found, id, held)) {
        if (isOwn) return undefined;
        throw referenceTaken();
      }
      if (held.stamp !== waiting.stamp) Object.assign(waiting, {stamp: held.stamp, pauses: 0});
      if (!isOwn && waiting.pauses < maxPauses) {
        waiting.pauses += 1;
        await delay(pause);
        continue;
      }
      if (!(await disarm(store, held, found))) continue;
    }
    if (!(await references.replace(id, revision, pointer))) continue;
    return isOwn && held.stamp !== earlier?.stamp ? undefined : {id, stamp};
  }
  throw changing();
}

/** Removes a pointer unless it was renewed or taken. One that stays is taken by the next link that wants the reference. */
export async function release(store: Store, held: Held | undefined): Promise<void> {
  if (held !== undefined) await referenceRecords.in(store).removeIf(held.id, ({stamp}) => stamp === held.stamp);
}

/** Removes a pointer to a link that does not have its reference. A call that is writing the link has to renew it. */
export async function removeStray(
  store: Store,
  key: string,
  {value, revision}: Entry<ReferenceRecord>,
  found: Entry<LinkRecord> | undefined,
): Promise<void> {
  if (await disarm(store, value, found)) await store.removeUnchanged(key, revision);
}

/** Whether a link has the reference of the pointer that leads to it. */
export function hasReference(
  entry: Pick<Entry<LinkRecord>, 'value'> | undefined,
  {generation, reference}: ReferenceId,
  pointer: ReferenceRecord,
): boolean {
  const link = entry?.value;
  return isSameLink(link, pointer) && link?.reference === reference && link.generation === generation;
}

export async function heldBy(store: Store, record: LinkRecord): Promise<Held | undefined> {
  const {generation, reference} = record;
  if (reference === undefined) return undefined;
  const id = {generation, reference};
  const pointer = (await referenceRecords.in(store).get(id))?.value;
  return pointer && isSameLink(pointer, record) ? {id, stamp: pointer.stamp} : undefined;
}

/**
 * Changes the record under the name in a pointer, so that no call can write a link there without renewing its pointer.
 *
 * @returns false if the record was changed meanwhile
 */
async function disarm(
  store: Store,
  {domain, slug, generation}: ReferenceRecord,
  found: Entry<LinkRecord> | undefined,
): Promise<boolean> {
  const name = {domain, slug};
  const links = linkRecords.in(store);
  if (found === undefined) return links.insert(name, removedRecord(name, generation));
  const {value: record, revision} = found;
  // Calls of this account do not replace the record of another one.
  if (record.generation !== generation) return true;
  return (await links.replace(name, revision, raised(record))) !== undefined;
}
