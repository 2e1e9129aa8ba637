import {setImmediate} from 'node:timers/promises';
import {TextDecoder} from 'node:util';
import {grouped} from '../values/describe.ts';
import {UnreadableTable} from './unreadable.ts';

/** A file: its bytes, or its text. */
export type Content = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** The maximum number of bytes or characters that a parser gets at once. */
const maxPart = 65_536;

/**
 * The text of a file, some at a time, without a byte order mark: UTF-8, or UTF-16 if its mark says so. What is not UTF-8
 * becomes U+FFFD.
 *
 * @throws UnreadableTable if the file is packed
 */
export async function* readTexts(content: Content): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const part of partsOf(content)) {
    if (typeof part === 'string') {
      yield isFirst ? part.replace(/^\uFEFF/, '') : part;
    } else {
      if (isFirst) refusePacked(part);
      decoder ??= new TextDecoder(markedEncoding(part) ?? 'utf-8');
      const text = decoder.decode(part, {stream: true});
      if (text !== '') yield text;
    }
    isFirst = false;
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield rest;
}

/** The number of characters that are split before the event loop gets a turn. They may be half as many cells. */
const splitAtOnce = 16_384;

/**
 * The lines of a text, some at a time. A line ends as on any system.
 *
 * @param max the maximum number of characters of a line
 * @throws UnreadableTable
 */
export async function* linesOf(texts: AsyncIterable<string>, max: number): AsyncGenerator<string[]> {
  let rest = '';
  let number = 1;
  // Perhaps the first half of a line end.
  let held = '';
  for await (const text of texts) {
    for (let start = 0; start < text.length; start += splitAtOnce) {
      const given = held + text.slice(start, start + splitAtOnce);
      held = given.endsWith('\r') ? '\r' : '';
      const [first = '', ...others] = given.slice(0, given.length - held.length).split(/\r\n|[\r\n]/);
      rest += first;
      const last = others.pop();
      if (last !== undefined) {
        yield [rest, ...others];
        number += others.length + 1;
        rest = last;
      }
      if (rest.length > max) throw new UnreadableTable(`Line ${number} has more than ${grouped(max)} characters`);
      await setImmediate();
    }
  }
  if (rest !== '') yield [rest];
}

/** The longest beginning that tells what a file is. */
const markLength = 4;

/** Parts of a bounded size. If they are bytes, the first has enough of them to tell what the file is. */
async function* partsOf(content: Content): AsyncGenerator<Uint8Array | string> {
  let start = new Uint8Array();
  let isStart = true;
  for await (const given of content) {
    let part = given;
    if (isStart && typeof part !== 'string') {
      part = start = Buffer.concat([start, part]);
      if (part.length < markLength) continue;
    }
    isStart = false;
    for (let from = 0; from < part.length; from += maxPart) {
      const end = from + maxPart;
      yield typeof part === 'string' ? part.slice(from, end) : part.subarray(from, end);
    }
  }
  if (isStart && start.length > 0) yield start;
}

/** The encoding that a byte order mark says; undefined without one. */
function markedEncoding([first, second, third]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** Whether a file is packed: a `.gz`, or a spreadsheet or another archive of the form zip. */
function packedKind([first, second, third, fourth]: Uint8Array): 'gzip' | 'zip' | undefined {
  if (first === 0x1f && second === 0x8b) return 'gzip';
  return first === 0x50 && second === 0x4b && third === 0x03 && fourth === 0x04 ? 'zip' : undefined;
}

/** @throws UnreadableTable */
function refusePacked(start: Uint8Array): void {
  const kind = packedKind(start);
  if (kind === 'gzip') throw new UnreadableTable('The file is packed with gzip. Unpack it first, with gunzip');
  if (kind === 'zip') {
    throw new UnreadableTable('The file is a spreadsheet (.xlsx, .ods, .numbers) or a zip archive. Save it as CSV');
  }
}

/**
 * The texts again, after a look at the first of them.
 *
 * @param length how many characters to look at
 */
export async function peek(
  texts: AsyncGenerator<string>,
  length: number,
): Promise<{start: string; texts: AsyncGenerator<string>}> {
  let start = '';
  while (start.length < length) {
    const next = await texts.next();
    if (next.done === true) break;
    start += next.value;
  }
  async function* all(): AsyncGenerator<string> {
    yield start;
    yield* texts;
  }
  return {start, texts: all()};
}

/** The text of a whole file, and the encoding that it was read in. */
export interface DecodedFile {
  readonly text: string;
  readonly encoding: string;
}

/**
 * Decodes a file: by its byte order mark, as UTF-8, or else in the encoding that spreadsheets use without one.
 *
 * @param usual that encoding, such as `windows-1252`
 * @throws UnreadableTable if the file is packed or is no text
 */
export function decodeFile(bytes: Uint8Array, usual: string): DecodedFile {
  refusePacked(bytes);
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return {text: new TextDecoder(marked).decode(bytes), encoding: marked};
  if (bytes.includes(0)) throw new UnreadableTable('The file is no text');
  try {
    return {text: new TextDecoder('utf-8', {fatal: true}).decode(bytes), encoding: 'utf-8'};
  } catch {
    return {text: new TextDecoder(usual).decode(bytes), encoding: usual};
  }
}
