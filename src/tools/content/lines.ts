import {type Content, linesOf, readTexts} from '../../tables/texts.ts';
import {UnreadableTable} from '../../tables/unreadable.ts';
import {describe} from '../../values/describe.ts';
import {either, isMembers, object, optional, problemIn} from '../../values/objects.ts';
import {anyText, count, onlyTrue, patterned, shapeOf, time} from '../../values/shape.ts';
import {version as ours} from '../../version.ts';
import {ToolError} from '../tool-error.ts';
import type {CountersItem, Item, RecordItem} from './content.ts';
import {problemOf} from './problems.ts';

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
function lineOf(line: object): string {
  const text = JSON.stringify(line).replaceAll(
    /[\u0080-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}

const aValue = shapeOf<unknown>({expected: 'a value', holds: (given) => given !== undefined});
const aKey = patterned('^[!-~]{1,200}$', {expected: 'a key'});
const someCounts = shapeOf<Readonly<Record<string, number>>>({
  expected: 'one or more integers that are not negative, by the names of counters',
  holds: (given) =>
    isMembers(given) &&
    Object.keys(given).length > 0 &&
    Object.entries(given).every(
      ([name, number]) => /^[!-~]{1,640}$/.test(name) && name !== 'at' && count.holds(number),
    ),
});
const anItem = either(
  (line) => 'value' in line,
  object({key: aKey, value: aValue, expires: optional(time)}),
  object({key: aKey, counts: someCounts, at: optional(time)}),
);
const aHead = object({
  site: patterned(String.raw`^[\w\-]{1,64}$`, {expected: 'a name'}),
  account: optional(anyText),
  ignoresCase: optional(onlyTrue),
  writer: optional(anyText),
});

/** In characters. The longest line of an export has some 100 kB. */
const maxLine = 16 * 2 ** 20;

/** An export whose first line was read. */
export interface OpenExport {
  readonly head: Head;
  /** The items between the first line and the last. */
  readonly items: AsyncGenerator<ItemLine>;
}

/**
 * Reads an export in bounded memory. It checks every line, and compares the counts of the last line with the lines before.
 *
 * @param onUnreadable called with each line between the first and the last that cannot be read, and is left out
 * @throws ToolError `malformed_file` if it is no export, or, while the items are read, not a whole one
 */
export async function openExport(content: Content, onUnreadable: (line: UnreadableLine) => void): Promise<OpenExport> {
  const lines = linesIn(content);
  const first = await lines.next();
  if (first.done === true) throw new ToolError('malformed_file', 'The file is empty');
  const fields = parse(first.value.text);
  const {format, version, ...head} = isMembers(fields) ? fields : {};
  if (typeof fields === 'string') throw malformed(1, fields);
  if (format !== 'koa-short-url') throw malformed(1, 'this is not an export of koa-short-url');
  if (version !== exportVersion) {
    const expected = `expected \`version\` to be ${exportVersion}, got ${describe(version)}`;
    throw malformed(1, `${expected}. Use a later version than koa-short-url ${ours}`);
  }
  const problem = problemIn(head, aHead, 'line');
  if (problem !== undefined) throw malformed(1, problem);
  return {head: head as unknown as Head, items: itemsIn(lines, onUnreadable)};
}

async function* linesIn(content: Content): AsyncGenerator<{readonly number: number; readonly text: string}> {
  let number = 0;
  try {
    for await (const texts of linesOf(readTexts(content), maxLine)) {
      for (const text of texts) yield {number: (number += 1), text};
    }
  } catch (error) {
    if (error instanceof UnreadableTable) throw new ToolError('malformed_file', error.message);
    throw error;
  }
}

async function* itemsIn(
  lines: ReturnType<typeof linesIn>,
  onUnreadable: (line: UnreadableLine) => void,
): AsyncGenerator<ItemLine> {
  const found = {records: 0, counters: 0, unreadable: 0};
  let last = 1;
  let isEnded = false;
  for await (const {number, text} of lines) {
    // Editors add empty lines.
    if (isEnded && text.trim() === '') continue;
    if (isEnded) throw malformed(number, 'nothing may follow the end');
    last = number;
    const fields = parse(text);
    const read = typeof fields === 'string' ? fields : readItem(fields);
    if (isMembers(fields) && fields['end'] === true) {
      checkEnd(number, fields, found);
      isEnded = true;
    } else if (typeof read === 'string') {
      found.unreadable += 1;
      onUnreadable({number, reason: read});
    } else {
      found[read.kind] += 1;
      yield {...read, number};
    }
  }
  if (isEnded) return;
  throw new ToolError('malformed_file', `The file is incomplete: it ends after line ${last}, without the counts`);
}

/** The value of a line, or why it cannot be read. The message of the parser would repeat a part of the line, such as a key. */
function parse(text: string): object | string {
  // No export has it: it is what was not UTF-8.
  if (text.includes('\uFFFD')) return 'it is not UTF-8';
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return 'it is not JSON; if it is the last one, the file is cut off';
  }
}

interface Line extends Pick<RecordItem, 'key' | 'value' | 'expires'>, Pick<CountersItem, 'at'> {
  readonly counts?: Readonly<Record<string, number>>;
}

/** An item that a site can read, or why it cannot. */
function readItem(fields: object): Item | string {
  const problem = problemIn(fields, anItem, 'line');
  if (problem !== undefined) return problem;
  const {key, value, expires, counts, at} = fields as Line;
  const item: Item =
    counts === undefined
      ? {kind: 'records', key, value, expires}
      : {kind: 'counters', key, counts: new Map(Object.entries(counts)), at};
  const wrong = problemOf(item);
  return wrong === undefined ? item : `${item.key}: ${wrong}`;
}

function checkEnd(
  number: number,
  {records, counters}: Readonly<Record<string, unknown>>,
  found: Counts & {readonly unreadable: number},
): void {
  const {unreadable} = found;
  // An unreadable line may be that of a record or of counters.
  const isWhole =
    unreadable === 0
      ? records === found.records && counters === found.counters
      : Number(records) + Number(counters) === found.records + found.counters + unreadable;
  if (isWhole) return;
  const left = unreadable === 0 ? '' : `${unreadable} lines that cannot be read, `;
  const message =
    `the file has lost lines: it has ${found.records} records and ${found.counters} sets of counters, ${left}` +
    `and should have ${describe(records)} and ${describe(counters)}`;
  throw malformed(number, message);
}

function malformed(number: number, reason: string): ToolError {
  return new ToolError('malformed_file', `Line ${number}: ${reason}`);
}
