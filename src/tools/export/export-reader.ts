import {accountKey, accountPrefix, indexPrefix, linkKey, linkPrefix} from '../../keys.ts';
import {type AccountRecord} from '../../accounts/record.ts';
import {describe} from '../../host/describe.ts';
import {type LinkRecord} from '../../link/record.ts';
import type {Counters} from '../../store/port.ts';
import {exportVersion, type HeadLine, type RecordLine} from './export-line.ts';
import {firstVersion, recordsOf} from './first-version.ts';
import type {TextLine} from '../text-lines.ts';
import {ToolError} from '../tool-error.ts';

/** A line between the first and the last one. */
export type ContentLine =
  | (RecordLine & {readonly number: number; readonly kind: 'records'})
  | {readonly number: number; readonly kind: 'counters'; readonly key: string; readonly value: Counters};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads an export line by line. It checks every line, and compares the counts of the last line with the lines before.
 *
 * @throws ToolError `malformed_file` with the number of the line
 */
export class ExportReader {
  readonly #lines: AsyncIterator<TextLine>;
  readonly #counts = {records: 0, counters: 0};
  #isFirstVersion = false;

  constructor(lines: AsyncIterable<TextLine>) {
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** The first line. */
  async head(): Promise<HeadLine> {
    const value = await this.#next();
    if (value === undefined) throw new ToolError('malformed_file', 'The file is empty');
    const {format, version, site, account} = fieldsOf(value);
    if (format !== 'koa-short-url') throw malformed(value, 'this is not an export of koa-short-url');
    this.#isFirstVersion = version === firstVersion;
    if (version !== exportVersion && !this.#isFirstVersion) {
      throw malformed(value, `expected \`version\` to be at most ${exportVersion}, got ${describe(version)}`);
    }
    if (typeof site !== 'string' || !/^[\w-]{1,64}$/.test(site)) throw malformed(value, 'expected `site` to be a name');
    if (account !== undefined && typeof account !== 'string') throw malformed(value, 'expected `account` to be a text');
    return {format, version: exportVersion, site, ...(account === undefined ? {} : {account})};
  }

  /** The lines after it, up to the end. */
  async *content(): AsyncGenerator<ContentLine> {
    let last = 1;
    try {
      for (;;) {
        const line = await this.#next();
        if (line === undefined) throw cutOff(last);
        last = line.number;
        const fields = fieldsOf(line);
        if (fields['end'] === true) {
          await this.#checkEnd(line, fields);
          return;
        }
        const content = contentOf(line, fields);
        this.#counts[content.kind] += 1;
        if (this.#isFirstVersion && content.kind === 'records') {
          for (const record of recordsOf(content)) yield {...content, ...record};
        } else yield content;
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

  async #checkEnd(line: TextLine, {records, counters}: Fields): Promise<void> {
    if (records !== this.#counts.records || counters !== this.#counts.counters) {
      const message = `the file has lost lines: it has ${this.#counts.records} records and ${this.#counts.counters} sets of counters`;
      throw malformed(line, `${message}, and should have ${describe(records)} and ${describe(counters)}`);
    }
    let after = await this.#next();
    // Editors add empty lines.
    while (after?.text.trim() === '') after = await this.#next();
    if (after !== undefined) throw malformed(after, 'nothing may follow the end');
  }
}

function contentOf(line: TextLine, fields: Fields): ContentLine {
  const {key, value, expires, counts, at} = fields;
  const {number} = line;
  if (typeof key !== 'string' || !/^[!-~]{1,200}$/.test(key)) throw malformed(line, 'expected `key` to be a key');
  if ('value' in fields) {
    if (Object.keys(fields).length > ('expires' in fields ? 3 : 2)) {
      throw malformed(line, 'expected nothing but `key`, `value` and `expires`');
    }
    if (expires !== undefined && !isCount(expires)) {
      throw malformed(line, `expected \`expires\` to be a time, got ${describe(expires)}`);
    }
    checkRecord(line, key, value);
    return {number, kind: 'records', key, value, expires};
  }
  if (typeof counts !== 'object' || counts === null) throw malformed(line, 'expected `value` or `counts`');
  const entries = Object.entries(counts as Record<string, unknown>);
  if (entries.length === 0) throw malformed(line, 'expected `counts` to have a counter');
  for (const [name, count] of entries) {
    if (!/^[!-~]{1,640}$/.test(name) || name === 'at') throw malformed(line, 'a name in `counts` is none of a counter');
    if (!isCount(count))
      throw malformed(line, `expected \`counts.${name}\` to be a whole number, got ${describe(count)}`);
  }
  if (at !== undefined && !isCount(at)) throw malformed(line, `expected \`at\` to be a time, got ${describe(at)}`);
  return {number, kind: 'counters', key, value: {counts: new Map(entries as Array<[string, number]>), at}};
}

/** The fields that a site needs to read a record. */
const fieldsOfRecord = new Map<string, Readonly<Record<string, 'string' | 'number'>>>([
  [
    'l',
    {
      domain: 'string',
      slug: 'string',
      id: 'number',
      account: 'string',
      generation: 'string',
      position: 'number',
      url: 'string',
      created: 'number',
      counters: 'string',
      state: 'string',
    },
  ],
  ['account', {id: 'string', generation: 'string', state: 'string'}],
  ['accounts', {account: 'string'}],
]);

function checkRecord(line: TextLine, key: string, value: unknown): void {
  if (key.startsWith(indexPrefix) && !Array.isArray(value)) {
    throw malformed(line, `expected \`value\` to be an array of slots, got ${describe(value)}`);
  }
  const expected = fieldsOfRecord.get(key.slice(0, key.indexOf(':')));
  if (expected === undefined) return;
  for (const [name, type] of Object.entries(expected)) {
    const field = (Object(value) as Record<string, unknown>)[name];
    if (typeof field === type) continue;
    throw malformed(line, `expected \`value.${name}\` to be a ${type}, got ${describe(field)}`);
  }
  if (key.startsWith(linkPrefix)) checkUrls(line, value as LinkRecord);
  if (keyOfRecord(key, value) !== key) throw malformed(line, '`key` is not the key of `value`');
}

/** A link leads visitors to its URLs, so a file must not bring another scheme. A removed link has none. */
function checkUrls(line: TextLine, {url, target, expiredUrl, rules, state}: LinkRecord): void {
  if (rules !== undefined && !Array.isArray(rules)) throw malformed(line, 'expected `value.rules` to be an array');
  const urls: unknown[] = [target, expiredUrl, ...(rules ?? []).map((rule) => (Object(rule) as {url?: unknown}).url)];
  if (!(state === 'removed' && url === '')) urls.push(url);
  if (urls.every((one) => one === undefined || isHttpUrl(one))) return;
  throw malformed(line, 'expected the URLs of the link to be http or https URLs');
}

/** Serialised, every character of a long URL has at most twelve. */
const maxTarget = 12 * 8192;

function isHttpUrl(url: unknown): boolean {
  if (typeof url !== 'string' || url.length > maxTarget || /\p{Control}/u.test(url)) return false;
  try {
    // Not `URL.canParse`, which gives wrong answers in Node.js 20 once it is optimised.
    return /^https?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

/** The key of a record, as far as the record itself determines it. */
function keyOfRecord(key: string, value: unknown): string {
  if (key.startsWith(linkPrefix)) return linkKey(value as LinkRecord);
  return key.startsWith(accountPrefix) ? accountKey((value as AccountRecord).id) : key;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function fieldsOf(line: TextLine): Fields {
  let fields: unknown;
  try {
    fields = JSON.parse(line.text);
  } catch {
    // The message of the parser would repeat a part of the line, which may have an encrypted API key.
    throw malformed(line, 'it is not JSON; if it is the last one, the file is cut off');
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    throw malformed(line, `expected an object, got ${describe(fields)}`);
  }
  return fields as Fields;
}

function malformed({number}: TextLine, reason: string): ToolError {
  return new ToolError('malformed_file', `Line ${number}: ${reason}`);
}

function cutOff(number: number): ToolError {
  return new ToolError('malformed_file', `The file is incomplete: it ends after line ${number}, without the counts`);
}
