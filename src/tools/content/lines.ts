import type {AccountRecord} from '../../accounts/record.ts';
import {describe} from '../../host/describe.ts';
import {
  accountKey,
  accountPrefix,
  attemptsKey,
  indexPrefix,
  intentKey,
  linkKey,
  linkPrefix,
  referencePrefix,
} from '../../records.ts';
import {isHarmless} from '../../link/long-url.ts';
import type {LinkRecord} from '../../link/record.ts';
import {type Intent, intentLife} from '../../links/create/intents.ts';
import {endOfTries, type Tries} from '../../visits/attempts.ts';
import {version as ours} from '../../host/version.ts';
import type {TextLine} from '../text-lines.ts';
import {ToolError} from '../tool-error.ts';
import type {Item, RecordItem} from './content.ts';

/** Changes with the form of the lines, and with the stored form of records. */
const exportVersion = 2;

/** The version of the exports of 1.0.0. */
const firstVersion = 1;

/** The first line. */
export interface Head {
  /** The name of the site. Copies and imports of a site keep it. */
  readonly site: string;
  /** The account to which the export was restricted. */
  readonly account?: string | undefined;
  /** Whether the site keeps short parts without regard to case. */
  readonly ignoresCase?: true | undefined;
}

/** The counts of the last line. They show whether lines were lost. */
interface Counts {
  readonly records: number;
  readonly counters: number;
}

/** An item and the number of its line. */
export type ItemLine = Item & {readonly number: number};

type Fields = Readonly<Record<string, unknown>>;

export function headLine(head: Head): string {
  return lineOf({format: 'koa-short-url', version: exportVersion, ...head});
}

/** The same item gives the same line. */
export function itemLine(item: Item): string {
  const {key} = item;
  if (item.kind === 'records') return lineOf({key, value: item.value, expires: item.expires});
  return lineOf({key, counts: Object.fromEntries(Array.from(item.counts).sort()), at: item.at});
}

export function endLine({records, counters}: Counts): string {
  return lineOf({end: true, records, counters});
}

function lineOf(line: Fields): string {
  return `${JSON.stringify(line)}\n`;
}

/**
 * Reads an export line by line. It checks every line, and compares the counts of the last line with the lines before.
 *
 * @throws ToolError `malformed_file` with the number of the line
 */
export class LineReader {
  readonly #lines: AsyncIterator<TextLine>;
  #isFirstVersion = false;

  constructor(lines: AsyncIterable<TextLine>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async head(): Promise<Head> {
    const line = await this.#next();
    if (line === undefined) throw new ToolError('malformed_file', 'The file is empty');
    const {format, version, site, account, ignoresCase} = fieldsOf(line);
    const check = checkOf(line);
    check(format === 'koa-short-url', 'this is not an export of koa-short-url');
    this.#isFirstVersion = version === firstVersion;
    check(
      version === exportVersion || this.#isFirstVersion,
      `expected \`version\` to be at most ${exportVersion}, got ${describe(version)}. Use a later version than koa-short-url ${ours}`,
    );
    check(isText(site) && /^[\w-]{1,64}$/.test(site), 'expected `site` to be a name');
    check(account === undefined || isText(account), 'expected `account` to be a text');
    return {site: site as string, account: account as string | undefined, ...(ignoresCase === true && {ignoresCase})};
  }

  /** The items between the first line and the last. */
  async *items(): AsyncGenerator<ItemLine> {
    const counts = {records: 0, counters: 0};
    let last = 1;
    try {
      for (;;) {
        const line = await this.#next();
        if (line === undefined) {
          const message = `The file is incomplete: it ends after line ${last}, without the counts`;
          throw new ToolError('malformed_file', message);
        }
        last = line.number;
        const fields = fieldsOf(line);
        if (fields['end'] === true) {
          await this.#checkEnd(line, fields, counts);
          return;
        }
        const item = itemOf(fields, checkOf(line));
        counts[item.kind] += 1;
        const items = this.#isFirstVersion && item.kind === 'records' ? recordsOf(item) : [item];
        for (const each of items) yield {...each, number: line.number};
      }
    } finally {
      // Close a file that was not read to its end.
      await this.#lines.return?.();
    }
  }

  async #next(): Promise<TextLine | undefined> {
    const next: IteratorResult<TextLine, unknown> = await this.#lines.next();
    return next.done === true ? undefined : next.value;
  }

  async #checkEnd(line: TextLine, {records, counters}: Fields, counts: Counts): Promise<void> {
    checkOf(line)(
      records === counts.records && counters === counts.counters,
      `the file has lost lines: it has ${counts.records} records and ${counts.counters} sets of counters, ` +
        `and should have ${describe(records)} and ${describe(counters)}`,
    );
    let after = await this.#next();
    // Editors add empty lines.
    while (after?.text.trim() === '') after = await this.#next();
    if (after !== undefined) checkOf(after)(false, 'nothing may follow the end');
  }
}

/** Throws with the number of the line unless something holds. */
type Check = (holds: boolean, reason: string) => void;

function checkOf({number}: TextLine): Check {
  return (holds, reason) => {
    if (!holds) throw new ToolError('malformed_file', `Line ${number}: ${reason}`);
  };
}

function fieldsOf(line: TextLine): Fields {
  let fields: unknown;
  try {
    fields = JSON.parse(line.text);
  } catch {
    // The message of the parser would repeat a part of the line, which may have an encrypted API key.
    checkOf(line)(false, 'it is not JSON; if it is the last one, the file is cut off');
  }
  const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
  checkOf(line)(isObject, `expected an object, got ${describe(fields)}`);
  return fields as Fields;
}

function itemOf(fields: Fields, check: Check): Item {
  const {key, value, expires, counts, at, ...others} = fields;
  if (!isText(key) || !/^[!-~]{1,200}$/.test(key)) check(false, 'expected `key` to be a key');
  const name = key as string;
  if ('value' in fields) {
    const isAlone = Object.keys(others).length === 0 && counts === undefined && at === undefined;
    check(isAlone, 'expected nothing but `key`, `value` and `expires`');
    check(expires === undefined || isCount(expires), `expected \`expires\` to be a time, got ${describe(expires)}`);
    checkRecord(name, value, check);
    return {kind: 'records', key: name, value, expires: expires as number | undefined};
  }
  check(typeof counts === 'object' && counts !== null, 'expected `value` or `counts`');
  const entries = Object.entries(counts as Record<string, unknown>);
  check(entries.length > 0, 'expected `counts` to have a counter');
  for (const [counter, count] of entries) {
    check(/^[!-~]{1,640}$/.test(counter) && counter !== 'at', 'a name in `counts` is none of a counter');
    check(isCount(count), `expected \`counts.${counter}\` to be a whole number, got ${describe(count)}`);
  }
  check(at === undefined || isCount(at), `expected \`at\` to be a time, got ${describe(at)}`);
  return {
    kind: 'counters',
    key: name,
    counts: new Map(entries as Array<[string, number]>),
    at: at as number | undefined,
  };
}

/** The texts and numbers that a site needs to read a record, by the begin of its key. */
const neededFields: ReadonlyArray<readonly [prefix: string, texts: readonly string[], numbers: readonly string[]]> = [
  [linkPrefix, ['domain', 'slug', 'account', 'generation', 'url', 'counters', 'state'], ['id', 'position', 'created']],
  [accountPrefix, ['id', 'generation', 'state'], []],
  ['accounts:', ['account'], []],
  [referencePrefix, ['domain', 'slug', 'generation', 'counters', 'stamp'], []],
];

function checkRecord(key: string, value: unknown, check: Check): void {
  if (key.startsWith(indexPrefix)) {
    check(Array.isArray(value), `expected \`value\` to be an array of slots, got ${describe(value)}`);
  }
  const [, texts, numbers] = neededFields.find(([prefix]) => key.startsWith(prefix)) ?? ['', [], []];
  const fields = Object(value) as Fields;
  for (const name of texts) {
    check(isText(fields[name]), `expected \`value.${name}\` to be a string, got ${describe(fields[name])}`);
  }
  for (const name of numbers) {
    const isNumber = typeof fields[name] === 'number';
    check(isNumber, `expected \`value.${name}\` to be a number, got ${describe(fields[name])}`);
  }
  if (key.startsWith(linkPrefix)) {
    checkUrls(value as LinkRecord, check);
    check(linkKey(value as LinkRecord) === key, '`key` is not the key of `value`');
  }
  if (key.startsWith(accountPrefix)) {
    check(accountKey((value as AccountRecord).id) === key, '`key` is not the key of `value`');
  }
}

/** A link leads visitors to its URLs, so a file must not bring a scheme such as `javascript`. A removed link has none. */
function checkUrls({url, target, expiredUrl, rules, state}: LinkRecord, check: Check): void {
  check(rules === undefined || Array.isArray(rules), 'expected `value.rules` to be an array');
  const urls: unknown[] = [target, expiredUrl, ...(rules ?? []).map((rule) => (Object(rule) as {url?: unknown}).url)];
  if (!(state === 'removed' && url === '')) urls.push(url);
  const isAllowed = urls.every((one) => one === undefined || isHarmless(one));
  check(isAllowed, 'expected the URLs of the link to be absolute URLs to which visitors may be sent');
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * What a record of 1.0.0 is now. Nothing expired then: intents and attempts shared records, and a quota stayed for ever.
 */
function recordsOf(record: RecordItem): RecordItem[] {
  const {kind, key, value} = record;
  if (key.startsWith('intents:')) {
    return Object.entries(value as Record<string, Intent>).map(([name, {at, link, isDone, ...intent}]) => ({
      kind,
      key: intentKey(name),
      value: {at, ...intent, ...(link && {link}), ...(isDone && {isDone})} satisfies Intent,
      expires: at + intentLife,
    }));
  }
  if (key.startsWith('attempts:')) {
    return Object.entries(value as Record<string, Tries>).map(([name, tries]) => ({
      kind,
      key: attemptsKey(name),
      value: tries,
      expires: endOfTries(tries),
    }));
  }
  return [key.startsWith('quota:') ? {...record, expires: (value as {readonly until: number}).until} : record];
}
