import {indexPrefix} from '../../keys.ts';
import {isDeepStrictEqual} from 'node:util';
import {hasSlots, type StoredSlots} from '../../links/list/link-index.ts';
import type {Counters, ToolStore} from '../../store/port.ts';
import {readContent, countValues, type ContentCounts} from '../copy/content.ts';
import type {ContentLine} from '../export/export-reader.ts';
import {newTallies, renewTally} from '../copy/key-tally.ts';
import {listKeys} from '../listing.ts';
import {ToolError} from '../tool-error.ts';

type RecordLine = Extract<ContentLine, {readonly kind: 'records'}>;

/** Writes the content of an export into a store. It only adds: a different value under a key ends the import. */
export class ImportWriter {
  readonly #store: ToolStore;
  readonly #tallies = newTallies();
  readonly #listed = {accounts: 0, links: 0};
  /** Records and sets of counters. */
  written = 0;

  constructor(store: ToolStore) {
    this.#store = store;
  }

  /** The content that was written, or was already there. */
  get imported(): ContentCounts {
    const {records, counters} = this.#tallies;
    return {...this.#listed, records: records.total, counters: counters.total};
  }

  /** @throws ToolError `target_in_use` with the number of a line that differs from what is in the store */
  async write(lines: readonly ContentLine[]): Promise<void> {
    const records = new Map<string, RecordLine>();
    const counters = new Map<string, ContentLine>();
    for (const line of lines) {
      const sameKind = line.kind === 'records' ? records : counters;
      if (sameKind.has(line.key)) throw new ToolError('malformed_file', `Line ${line.number}: the key occurs twice`);
      if (line.kind === 'records') records.set(line.key, line);
      else counters.set(line.key, line);
    }
    if (records.size > 0) await this.#addRecords(records);
    if (counters.size > 0) await this.#addCounters(counters);
  }

  /**
   * Counts the content of the store.
   *
   * @throws ToolError `not_verified` if it is less than was imported
   */
  async verify(): Promise<void> {
    const present = newTallies();
    for (const kind of ['records', 'counters'] as const) {
      // The counts need not be equal: an engine may list a key twice, and the store may have more than the file.
      for await (const keys of listKeys(this.#store, kind, '', renewTally(present, kind))) present[kind].add(keys);
      if (present[kind].count >= this.#tallies[kind].count) continue;
      throw new ToolError(
        'not_verified',
        'The store has lost data that was written to it. Check its eviction policy and its free space',
      );
    }
  }

  async #addRecords(lines: ReadonlyMap<string, RecordLine>): Promise<void> {
    const now = Date.now();
    const records = Array.from(lines.values()).filter(({expires}) => expires === undefined || expires > now);
    const rows = records.map(({key, value, expires}) => [key, value, expires] as const);
    const inserted = await this.#store.insertMany(rows);
    const found = rows.filter((_, index) => inserted[index] !== true).map(([key]) => key);
    const present = await this.#store.getMany(found);
    for (const [index, key] of found.entries()) {
      if (!isKept(key, lines.get(key)?.value, present[index]?.value)) throw differs(lines.get(key));
    }
    this.written += rows.length - found.length;
    this.#tallies.records.add(records.map(({key}) => key));
    countValues(this.#listed, new Map(records.map((record) => [record.key, record])));
  }

  async #addCounters(lines: ReadonlyMap<string, ContentLine>): Promise<void> {
    const present = await readContent(this.#store, 'counters', lines.keys());
    const rows: Array<readonly [key: string, counters: Counters]> = [];
    for (const [key, line] of lines) {
      const wanted = line.value as Counters;
      const found = present.get(key);
      if (isDeepStrictEqual(wanted, found)) continue;
      if (found === undefined) rows.push([key, wanted]);
      // Creates since then have raised a sequence. It must not go back.
      else if (!isSequence(key)) throw differs(line);
      else if (isLower(found, wanted)) rows.push([key, wanted]);
    }
    await this.#store.setCounters(rows);
    this.written += rows.length;
    this.#tallies.counters.add(lines.keys());
  }
}

/** Whether the store still has a record. Later creates may have filled more of its slots. */
function isKept(key: string, wanted: unknown, found: unknown): boolean {
  if (isDeepStrictEqual(wanted, found)) return true;
  return key.startsWith(indexPrefix) && Array.isArray(found) && hasSlots(found, wanted as StoredSlots);
}

const isSequence = (key: string): boolean => /^(?:sequence|positions):/.test(key);

function isLower(found: Counters, wanted: Counters): boolean {
  return Array.from(wanted.counts).some(([name, count]) => (found.counts.get(name) ?? 0) < count);
}

function differs(line: ContentLine | undefined): ToolError {
  const message =
    `Line ${line?.number}: the store has another record for ${line?.key}. ` +
    'An import only adds records. Use an empty store or another namespace';
  return new ToolError('target_in_use', message);
}
