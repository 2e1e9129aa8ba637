import {
  accountPositions,
  pointerKey,
  accountKey,
  accountPrefix,
  quotaKey,
  countersKey,
  linkIds,
  linkPrefix,
  positionsKey,
  totalsKeys,
  arrivalKey,
  siteKey,
} from '../../keys.ts';
import {type Account, type LiveAccount} from '../../accounts/record.ts';
import {type LinkRecord} from '../../link/record.ts';
import type {KeyKind, ToolStore} from '../../store/port.ts';
import type {RecordValue, Values} from '../copy/content.ts';
import {KeySorter} from './key-sorter.ts';
import {listKeys} from '../listing.ts';

/** One part of an export. */
export interface ExportPart {
  readonly kind: KeyKind;
  readonly sorter: KeySorter;
  /** Adds the keys of the part to its sorter. It is called after the part before was read. */
  readonly list: () => Promise<void>;
  /** Selects the content that belongs to the export; by default everything. */
  readonly take?: (values: Values) => Promise<Values>;
}

const positionsPrefix = 'positions:';
const sequencePrefix = 'sequence:';

/**
 * The parts of a site. They are read in the reverse order of writing: a site first raises a sequence, then writes the
 * account of a link and its slot in the index, then the link. So every link in an export of a running site is complete.
 */
export function siteParts(store: ToolStore): ExportPart[] {
  const all = (kind: KeyKind, prefix: string, isPart: (key: string) => boolean = () => true): ExportPart => {
    const sorter = new KeySorter();
    return {kind, sorter, list: () => addListed(sorter, listKeys(store, kind, prefix), isPart)};
  };
  const isRead = (key: string): boolean => key.startsWith(linkPrefix) || key.startsWith(accountPrefix);
  const isOfStore = (key: string): boolean => key === siteKey || key === arrivalKey;
  const isSequence = (key: string): boolean => key.startsWith(positionsPrefix) || key.startsWith(sequencePrefix);
  return [
    all('records', linkPrefix),
    all('records', accountPrefix),
    all('counters', '', (key) => !isSequence(key)),
    all('records', '', (key) => !isRead(key) && !isOfStore(key)),
    all('counters', positionsPrefix),
    all('counters', sequencePrefix),
  ];
}

/** The same parts of one account. All links are read to find its own, because no list has the removed ones. */
export function accountParts(store: ToolStore, {id, generation}: Account): ExportPart[] {
  const links = new KeySorter();
  const account = new KeySorter();
  const counters = new KeySorter();
  const others = new KeySorter();
  const sequences = new KeySorter();
  return [
    {
      kind: 'records',
      sorter: links,
      list: () => addListed(links, listKeys(store, 'records', linkPrefix)),
      take: async (values) => {
        const links = Array.from(values as Map<string, RecordValue<LinkRecord>>);
        const own = links.filter(([, {value}]) => value.generation === generation);
        await counters.add(own.flatMap(([, {value}]) => (value.counters === '' ? [] : [countersKey(value)])));
        return new Map(own);
      },
    },
    {
      kind: 'records',
      sorter: account,
      list: () => account.add([accountKey(id)]),
      take: async (values) => {
        for (const {value} of (values as Map<string, RecordValue<LiveAccount>>).values())
          await others.add([pointerKey(value.position)]);
        return values;
      },
    },
    {
      kind: 'counters',
      sorter: counters,
      list: () => counters.add(totalsKeys(generation)),
    },
    {
      kind: 'records',
      sorter: others,
      list: async () => {
        await others.add([quotaKey(id)]);
        await addListed(others, listKeys(store, 'records', `list:${generation}:`));
      },
    },
    {
      kind: 'counters',
      sorter: sequences,
      list: () => sequences.add([positionsKey(generation), linkIds, accountPositions]),
    },
  ];
}

async function addListed(
  sorter: KeySorter,
  listing: AsyncIterable<readonly string[]>,
  isPart: (key: string) => boolean = () => true,
): Promise<void> {
  for await (const keys of listing) await sorter.add(keys.filter(isPart));
}
