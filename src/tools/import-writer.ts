import {isDeepStrictEqual} from 'node:util';
import {accountPrefix, type AccountRecord, type KeyPointer, keyPointerKey} from '../accounts/record.ts';
import {hasPlaces, placesPrefix, type StoredPlaces} from '../links/places.ts';
import type {Counters, ToolStore} from '../store/port.ts';
import {readContent, type Values} from './content.ts';
import {countValues, type Equal} from './equal.ts';
import type {ContentLine} from './export-reader.ts';
import {newTallies} from './key-tally.ts';
import {listKeys} from './listing.ts';
import {ToolError} from './tool-error.ts';

/** Puts what an export has into a store. It only adds: something else under a key ends the import. */
export class ImportWriter {
  readonly #store: ToolStore;
  readonly #tallies = newTallies();
  readonly #listed = {accounts: 0, links: 0};
  /** Records and sets of counters. */
  written = 0;

  constructor(store: ToolStore) {
    this.#store = store;
  }

  /** What has been written, or was there. */
  get imported(): Equal {
    const {records, counters} = this.#tallies;
    return {...this.#listed, records: records.count, counters: counters.count};
  }

  /** @throws ToolError `target_in_use` with the number of a line that differs from what is in the store */
  async write(lines: readonly ContentLine[]): Promise<void> {
    const records = new Map<string, ContentLine>();
    const counters = new Map<string, ContentLine>();
    for (const line of lines) {
      const sameKind = line.kind === 'records' ? records : counters;
      if (sameKind.has(line.key)) throw new ToolError('malformed_file', `Line ${line.number}: the key stands twice`);
      sameKind.set(line.key, line);
    }
    if (records.size > 0) await this.#addRecords(records);
    if (counters.size > 0) await this.#addCounters(counters);
  }

  /**
   * Counts what the store has.
   *
   * @throws ToolError `not_verified` if it is less than was imported, or something else
   */
  async verify(): Promise<void> {
    const present = newTallies();
    for (const kind of ['records', 'counters'] as const) {
      // An engine may give a key twice, so a sum that differs shows nothing; the store may have more than the file.
      for await (const keys of listKeys(this.#store, kind)) present[kind].add(keys);
      if (present[kind].count >= this.#tallies[kind].count) continue;
      throw new ToolError(
        'not_verified',
        'The store has lost some of what was written into it: look at its eviction policy and its free space',
      );
    }
  }

  async #addRecords(lines: ReadonlyMap<string, ContentLine>): Promise<void> {
    const rows = Array.from(lines.values(), ({key, value}) => [key, value] as const);
    const inserted = await this.#store.insertMany(rows);
    const found = rows.filter((_, index) => inserted[index] !== true).map(([key]) => key);
    const present = await this.#store.getMany(found);
    for (const [index, key] of found.entries()) {
      if (!isKept(key, lines.get(key)?.value, present[index]?.value)) throw differs(lines.get(key));
    }
    const values: Values = new Map(rows);
    await this.#addKeyPointers(values);
    this.written += rows.length - found.length;
    this.#tallies.records.add(values.keys());
    countValues(this.#listed, values);
  }

  /** A key that was rotated during the export has no pointer in the file. */
  async #addKeyPointers(records: Values): Promise<void> {
    const accounts = Array.from(records).filter(([key]) => key.startsWith(accountPrefix));
    const pointers = accounts.flatMap(([, record]) => {
      const account = record as AccountRecord;
      if (account.state !== 'live') return [];
      return [[keyPointerKey(account.keyDigest), {account: account.id} satisfies KeyPointer] as const];
    });
    await this.#store.insertMany(pointers);
  }

  async #addCounters(lines: ReadonlyMap<string, ContentLine>): Promise<void> {
    const present = await readContent(this.#store, 'counters', lines.keys());
    const rows: Array<readonly [key: string, counters: Counters]> = [];
    for (const [key, line] of lines) {
      const wanted = line.value as Counters;
      const found = present.get(key);
      if (isDeepStrictEqual(wanted, found)) continue;
      if (found === undefined) rows.push([key, wanted]);
      // Links that were created since are no difference, and their numbers are not given again.
      else if (!isSequence(key)) throw differs(line);
      else if (isLower(found, wanted)) rows.push([key, wanted]);
    }
    await this.#store.setCounters(rows);
    this.written += rows.length;
    this.#tallies.counters.add(lines.keys());
  }
}

/** Whether the store has a record. Links that were created since stand in the same records as earlier places. */
function isKept(key: string, wanted: unknown, found: unknown): boolean {
  if (isDeepStrictEqual(wanted, found)) return true;
  return key.startsWith(placesPrefix) && Array.isArray(found) && hasPlaces(found, wanted as StoredPlaces);
}

const isSequence = (key: string): boolean => /^(?:sequence|positions):/.test(key);

function isLower(found: Counters, wanted: Counters): boolean {
  return Array.from(wanted.counts).some(([name, count]) => (found.counts.get(name) ?? 0) < count);
}

function differs(line: ContentLine | undefined): ToolError {
  const message =
    `Line ${line?.number}: the store has something else under ${line?.key}. ` +
    'An import changes nothing that is there: give it an empty store or another namespace';
  return new ToolError('target_in_use', message);
}
