import {planted} from '../../planted.ts';
import {linkPositions} from '../../accounts/records.ts';
import {listOf} from '../../values/objects.ts';
import {shapeOf, text} from '../../values/shape.ts';
import {Grouper} from '../../store/batching/grouper.ts';
import {type IdOf, kind, type RecordOf} from '../../store/kind.ts';
import type {Store} from '../../store/port.ts';
import {lookahead, type OrderedIndex} from '../../store/walk.ts';
import {isSameName, type LinkName} from '../../link/bases.ts';
import type {LinkRecord} from '../../link/record.ts';
import {sequences} from '../../link/records.ts';

export const slotsPerRecord = 50;

/** The name of the site's index. A generation has another length. */
const siteIndex = 'site';

/** Of an index of links: 0 for an empty one. */
const aSlot = shapeOf<string | 0>({
  expected: 'a slot',
  holds: (value) => value === 0 || text.holds(value),
});

/** A record of an index of links, of an account or of the site: the slots of some consecutive positions. */
export const slotRecords = kind('list', {
  keys: ['list:<generation>:<n>', 'list:site:<n>'],
  content: 'an index of an account or of the site: fifty slots',
  key: ({list, number}: {readonly list: string; readonly number: number}) => [list, String(number)],
  form: listOf(aSlot, slotsPerRecord),
  names: 'slots',
  removed: 'by index',
  begin: ({generation}) => [generation],
});

/** Begins the keys of the site's index. */
export const siteIndexPrefix = `${slotRecords.prefix}${siteIndex}:`;

type SlotsId = IdOf<typeof slotRecords>;

export interface LinkList extends OrderedIndex {
  readonly name: string;
  /** The position of a link in it; 0 for a link that is not in it. */
  readonly positionOf: (record: LinkRecord) => number;
}

export const accountList = (generation: string): LinkList =>
  linkList(generation, linkPositions.key(generation), (record) =>
    record.generation === generation ? record.position : 0,
  );

/** The links of all accounts. A new link gets its `url_id` from its position. */
export const siteList: LinkList = linkList(
  siteIndex,
  sequences.key('url_id'),
  ({id, sitePosition = id}) => sitePosition,
);

function linkList(name: string, sequence: string, positionOf: LinkList['positionOf']): LinkList {
  const areUsed = async (store: Store, positions: readonly number[]): Promise<boolean[]> =>
    (await readSlots(store, {name}, positions)).map((slot) => slot !== undefined);
  return {name, sequence, areUsed, positionOf};
}

/**
 * The slots of a record in order: 0 for an empty one, `<short part>` for a link, and `<domain>:<short part>` where its
 * domain is not that of the link before. A short part holds no colon. `!` before it marks a slot whose link was missing, and
 * `?` one whose link is broken. Empty slots at the end are left out.
 */
export type StoredSlots = RecordOf<typeof slotRecords>;

type SlotMark = 'missing' | 'broken';

const markBySign: Readonly<Record<string, SlotMark>> = {'!': 'missing', '?': 'broken'};
const signs: Readonly<Record<SlotMark, string>> = {missing: '!', broken: '?'};

const hasMark = (stored: string): boolean => stored.startsWith(signs.missing) || stored.startsWith(signs.broken);

/** The length of a list that is counted together with others. */
const maxShort = 500;

export interface Slot extends LinkName {
  /**
   * `missing`: the link was not there when the list was last read, because its creation or removal was interrupted or is
   * running. The slot is not emptied, because the link may still be inserted and must then be in the list. `broken`: the
   * link is marked as broken, or was until lately. The record of a link with a marked slot tells.
   */
  readonly mark?: SlotMark;
}

export function slotOf({domain, slug, broken}: LinkName & {readonly broken?: object | undefined}): Slot {
  return broken === undefined ? {domain, slug} : {domain, slug, mark: 'broken'};
}

/** The number of the record with the slot for `position` and its neighbours. */
const recordOf = (position: number): number => Math.floor((position - 1) / slotsPerRecord);

export const slotsAt = ({name}: Pick<LinkList, 'name'>, position: number): SlotsId => ({
  list: name,
  number: recordOf(position),
});

/** A slot that is changed if it belongs to this link, or if it is empty and is reserved. */
export interface SlotChange {
  readonly position: number;
  readonly name: Slot;
  readonly to: 'reserved' | 'released' | 'present' | SlotMark;
}

/**
 * The indexes of the lists: a slot for each position holds the name of its link. A slot is reserved before its link
 * exists, and it counts only if the link names its position.
 */
export class LinkIndex {
  readonly #store: Store;
  /** Without it, parallel creates of one process would make each other's compare-and-set fail. */
  readonly #changes = new Grouper((changes: readonly ChangeIn[]) => storeChanges(this.#store, changes), {
    isSerial: true,
  });

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Reserves the slot at the next position. The sequence may repeat a position after the store has lost its last writes.
   */
  async reserve(list: LinkList, name: Slot): Promise<number> {
    for (;;) {
      const position = await this.#store.increment(list.sequence);
      if (planted('slot-after-link')) {
        void this.reserveAt(list, position, name).catch(() => undefined);
        return position;
      }
      if (await this.reserveAt(list, position, name)) return position;
    }
  }

  /** Reserves one slot; false if another link has it. */
  reserveAt(list: LinkList, position: number, name: Slot): Promise<boolean> {
    return this.change(list, {position, name, to: 'reserved'});
  }

  async release(list: LinkList, position: number, name: LinkName): Promise<void> {
    await this.change(list, {position, name, to: 'released'});
  }

  /** @returns whether the slot has changed */
  change(list: LinkList, change: SlotChange): Promise<boolean> {
    const record = slotsAt(list, change.position);
    return this.#changes.add({...change, record}, slotRecords.key(record));
  }
}

interface ChangeIn extends SlotChange {
  readonly record: SlotsId;
}

async function storeChanges(store: Store, changes: readonly ChangeIn[]): Promise<readonly boolean[]> {
  const [first] = changes;
  if (first === undefined) return [];
  const records = slotRecords.in(store);
  let outcomes: readonly boolean[] = [];
  let packed: StoredSlots = [];
  await records.upsert(first.record, (stored = []) => {
    const slots = unpackSlots(stored);
    outcomes = changes.map(({position, name: {domain, slug, mark: given}, to}) => {
      const index = (position - 1) % slotsPerRecord;
      const slot = slots[index];
      const isDone = to === 'reserved' ? slot === undefined : isSameName(slot, {domain, slug});
      if (!isDone) return false;
      const mark = to === 'reserved' ? given : to === 'missing' || to === 'broken' ? to : undefined;
      slots[index] = to === 'released' ? undefined : {domain, slug, ...(mark && {mark})};
      return true;
    });
    packed = packSlots(slots);
    return outcomes.includes(true) ? packed : undefined;
  });
  if (packed.length > 0) return outcomes;
  // The account may have been removed, so that nobody removes the record later.
  await records.removeIf(first.record, ({length}) => length === 0);
  return outcomes;
}

/** The slots at consecutive positions, from the first one of a record: how many have no mark, and those that have one. */
export async function countSlots(
  store: Store,
  list: LinkList,
  positions: readonly number[],
): Promise<{readonly present: number; readonly marked: ReadonlyArray<Slot & {readonly position: number}>}> {
  const firsts = positions.filter((_, index) => index % slotsPerRecord === 0);
  const entries = await slotRecords.in(store).getMany(firsts.map((first) => slotsAt(list, first)));
  let present = 0;
  const marked: Array<Slot & {position: number}> = [];
  for (const [number, first] of firsts.entries()) {
    const stored = (entries[number]?.value ?? []).slice(0, positions.length - number * slotsPerRecord);
    const empty = stored.filter((text) => text === 0).length;
    const own = stored.some((text) => text !== 0 && hasMark(text))
      ? unpackSlots(stored).flatMap((slot, index) => (slot?.mark ? [{...slot, position: first + index}] : []))
      : [];
    present += stored.length - empty - own.length;
    marked.push(...own);
  }
  return {present, marked};
}

/**
 * The number of links in each of some lists, as far as the first positions tell it; undefined for a list that is longer, or
 * whose slots alone do not tell it.
 *
 * @param lasts the last positions of the lists
 */
export async function countShort(
  store: Store,
  lists: readonly LinkList[],
  lasts: readonly number[],
): Promise<Array<number | undefined>> {
  const numbers = lasts.map((last) => (last > maxShort ? 0 : recordOf(last + lookahead) + 1));
  const ids = lists.flatMap(({name}, index) =>
    Array.from({length: numbers[index] ?? 0}, (_, number) => ({list: name, number})),
  );
  const entries = await slotRecords.in(store).getMany(ids);
  let start = 0;
  return numbers.map((length, index) => {
    if (length === 0) return undefined;
    const last = lasts[index] ?? 0;
    const slots = entries.slice(start, (start += length)).map((entry) => entry?.value ?? []);
    const isKnown = slots.every((stored, number) =>
      stored.every((text, slot) => text === 0 || (number * slotsPerRecord + slot < last && !hasMark(text))),
    );
    return isKnown ? slots.flat().filter((text) => text !== 0).length : undefined;
  });
}

/** The links at these positions, in their order. A link need not exist: only its record shows that. */
export async function readSlots(
  store: Store,
  list: Pick<LinkList, 'name'>,
  positions: readonly number[],
): Promise<Array<Slot | undefined>> {
  const numbers = Array.from(new Set(positions.map(recordOf)));
  const entries = await slotRecords.in(store).getMany(numbers.map((number) => ({list: list.name, number})));
  const slots = new Map(numbers.map((number, index) => [number, unpackSlots(entries[index]?.value ?? [])]));
  return positions.map((position) => slots.get(recordOf(position))?.[(position - 1) % slotsPerRecord]);
}

export function packSlots(slots: ReadonlyArray<Slot | undefined>): StoredSlots {
  let last: string | undefined;
  const packed = Array.from(slots, (name) => {
    if (name === undefined) return 0;
    const text = name.domain === last ? name.slug : `${name.domain}:${name.slug}`;
    last = name.domain;
    return name.mark ? signs[name.mark] + text : text;
  });
  while (packed.at(-1) === 0) packed.pop();
  return packed;
}

export function unpackSlots(packed: StoredSlots): Array<Slot | undefined> {
  let domain = '';
  return packed.map((stored) => {
    if (stored === 0) return undefined;
    const mark = markBySign[stored.charAt(0)];
    const text = mark ? stored.slice(1) : stored;
    const colon = text.lastIndexOf(':');
    if (colon >= 0) domain = text.slice(0, colon);
    const slug = text.slice(colon + 1);
    return mark ? {domain, slug, mark} : {domain, slug};
  });
}

/** Whether `stored` has all slots of `wanted`. It may have more. */
export function hasSlots(stored: StoredSlots, wanted: StoredSlots): boolean {
  const slots = unpackSlots(stored);
  return unpackSlots(wanted).every((name, index) => name === undefined || isSameName(slots[index], name));
}
