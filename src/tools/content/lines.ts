import {describe} from '../../values/describe.ts';
import {version as ours} from '../../version.ts';
import type {TextLine} from '../text-lines.ts';
import {ToolError} from '../tool-error.ts';
import type {Item} from './content.ts';
import {problemOfCounters, problemOfRecord} from './problems.ts';

/** Changes with the form of the lines, and with the stored form of records. */
const exportVersion = 2;

/** The first line. */
export interface Head {
  /** The name of the site. Copies and imports of a site keep it. */
  readonly site: string;
  /** The account to which the export was restricted. */
  readonly account?: string | undefined;
  /** Whether the site keeps short parts without regard to case. */
  readonly ignoresCase?: true | undefined;
  /** The newest version that has written into the store. */
  readonly writer?: string | undefined;
}

/** The counts of the last line. They show whether lines were lost. */
interface Counts {
  readonly records: number;
  readonly counters: number;
}

/** An item and the number of its line. */
export type ItemLine = Item & {readonly number: number};

/** A line that cannot be read. */
export interface UnreadableLine {
  readonly number: number;
  /** For people. It names the key, if the line has one, and repeats no value. */
  readonly reason: string;
}

type Fields = Readonly<Record<string, unknown>>;

export function headLine(head: Head): string {
  return lineOf({format: 'koa-short-url', version: exportVersion, ...head});
}

/** The line of an item in an export. Equal items have equal lines, so that exports of one store can be compared. */
export function itemLine(item: Item): string {
  const {key} = item;
  if (item.kind === 'records') return lineOf({key, value: item.value, expires: item.expires});
  return lineOf({key, counts: Object.fromEntries(Array.from(item.counts).sort()), at: item.at});
}

export function endLine({records, counters}: Counts): string {
  return lineOf({end: true, records, counters});
}

/** In ASCII, which every shell and its encoding leave as it is: a PowerShell 5 writes other text of a program wrongly. */
function lineOf(line: Fields): string {
  const text = JSON.stringify(line).replaceAll(
    /[\u0080-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}

/**
 * Reads an export line by line. It checks every line, and compares the counts of the last line with the lines before.
 *
 * @throws ToolError `malformed_file` if it is no export, or not a whole one
 */
export class LineReader {
  readonly #lines: AsyncIterator<TextLine>;
  readonly #onUnreadable: (line: UnreadableLine) => void;

  /** @param onUnreadable called with each line between the first and the last that cannot be read, and is left out */
  constructor(lines: AsyncIterable<TextLine>, onUnreadable: (line: UnreadableLine) => void) {
    this.#lines = lines[Symbol.asyncIterator]();
    this.#onUnreadable = onUnreadable;
  }

  async head(): Promise<Head> {
    const line = await this.#next();
    if (line === undefined) throw new ToolError('malformed_file', 'The file is empty');
    const check = checkOf(line);
    const {format, version, site, account, ignoresCase, writer} = headOf(line);
    check(format === 'koa-short-url', 'this is not an export of koa-short-url');
    check(
      version === exportVersion,
      `expected \`version\` to be ${exportVersion}, got ${describe(version)}. Use a later version than koa-short-url ${ours}`,
    );
    check(isText(site) && /^[\w-]{1,64}$/.test(site), 'expected `site` to be a name');
    check(account === undefined || isText(account), 'expected `account` to be a text');
    check(writer === undefined || isText(writer), 'expected `writer` to be a version');
    return {
      site: site as string,
      account: account as string | undefined,
      writer: writer as string | undefined,
      ...(ignoresCase === true && {ignoresCase}),
    };
  }

  /** The items between the first line and the last. */
  async *items(): AsyncGenerator<ItemLine> {
    const counts = {records: 0, counters: 0, unreadable: 0};
    let last = 1;
    try {
      for (;;) {
        const line = await this.#next();
        if (line === undefined) {
          const message = `The file is incomplete: it ends after line ${last}, without the counts`;
          throw new ToolError('malformed_file', message);
        }
        last = line.number;
        const read = this.#read(line);
        if ('reason' in read) {
          counts.unreadable += 1;
          this.#onUnreadable(read);
        } else if ('end' in read) {
          await this.#checkEnd(line, read.end, counts);
          return;
        } else {
          counts[read.kind] += 1;
          yield {...read, number: line.number};
        }
      }
    } finally {
      // Close a file that was not read to its end.
      await this.#lines.return?.();
    }
  }

  /** The items of a line, or the fields of the last line. */
  #read(line: TextLine): UnreadableLine | {readonly end: Fields} | Item {
    try {
      const fields = fieldsOf(line);
      if (fields['end'] === true) return {end: fields};
      const item = itemOf(fields);
      checkItem(item);
      return item;
    } catch (error) {
      if (error instanceof Unreadable) return {number: line.number, reason: error.message};
      throw error;
    }
  }

  async #next(): Promise<TextLine | undefined> {
    const next: IteratorResult<TextLine, unknown> = await this.#lines.next();
    return next.done === true ? undefined : next.value;
  }

  async #checkEnd(line: TextLine, {records, counters}: Fields, counts: Counts & {unreadable: number}): Promise<void> {
    const {unreadable} = counts;
    // An unreadable line may be that of a record or of counters.
    const isWhole =
      unreadable === 0
        ? records === counts.records && counters === counts.counters
        : Number(records) + Number(counters) === counts.records + counts.counters + unreadable;
    checkOf(line)(
      isWhole,
      `the file has lost lines: it has ${counts.records} records and ${counts.counters} sets of counters, ` +
        (unreadable === 0 ? '' : `${unreadable} lines that cannot be read, `) +
        `and should have ${describe(records)} and ${describe(counters)}`,
    );
    let after = await this.#next();
    // Editors add empty lines.
    while (after?.text.trim() === '') after = await this.#next();
    if (after !== undefined) checkOf(after)(false, 'nothing may follow the end');
  }
}

/** @throws ToolError `malformed_file` */
function headOf(line: TextLine): Fields {
  try {
    return fieldsOf(line);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    throw new ToolError('malformed_file', `Line ${line.number}: ${error.message}`);
  }
}

/** A line cannot be read. */
class Unreadable extends Error {}

/** Throws with the number of the line unless something holds. */
type Check = (holds: boolean, reason: string) => void;

function checkOf({number}: TextLine): Check {
  return (holds, reason) => {
    if (!holds) throw new ToolError('malformed_file', `Line ${number}: ${reason}`);
  };
}

function check(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new Unreadable(reason);
}

function fieldsOf(line: TextLine): Fields {
  let fields: unknown;
  try {
    fields = JSON.parse(line.text);
  } catch {
    // The message of the parser would repeat a part of the line, which may have an encrypted API key.
    throw new Unreadable('it is not JSON; if it is the last one, the file is cut off');
  }
  const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  check(isObject, `expected an object, got ${describe(fields)}`);
  return fields as Fields;
}

function itemOf(fields: Fields): Item {
  const {key, value, expires, counts, at, ...others} = fields;
  check(isText(key) && /^[!-~]{1,200}$/.test(key), 'expected `key` to be a key');
  if ('value' in fields) {
    const isAlone = Object.keys(others).length === 0 && counts === undefined && at === undefined;
    check(isAlone, 'expected nothing but `key`, `value` and `expires`');
    check(expires === undefined || isCount(expires), `expected \`expires\` to be a time, got ${describe(expires)}`);
    return {kind: 'records', key, value, expires};
  }
  check(typeof counts === 'object' && counts !== null, 'expected `value` or `counts`');
  const entries = Object.entries(counts);
  check(entries.length > 0, 'expected `counts` to have a counter');
  for (const [counter, count] of entries) {
    check(/^[!-~]{1,640}$/.test(counter) && counter !== 'at', 'a name in `counts` is none of a counter');
    check(isCount(count), `expected \`counts.${counter}\` to be a whole number, got ${describe(count)}`);
  }
  check(at === undefined || isCount(at), `expected \`at\` to be a time, got ${describe(at)}`);
  return {kind: 'counters', key, counts: new Map(entries), at};
}

/** Whether a site can read what the item has. */
function checkItem(item: Item): void {
  const {key} = item;
  const problem = item.kind === 'records' ? problemOfRecord(key, item.value) : problemOfCounters(item);
  check(problem === undefined, `${key}: ${String(problem)}`);
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
