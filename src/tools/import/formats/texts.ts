import {TextDecoder} from 'node:util';

/** A file: its bytes, or its text. */
export type Content = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** The maximum number of bytes or characters that a parser gets at once. */
const maxPart = 65_536;

/**
 * The text of a file, some at a time, without a byte order mark: UTF-8, or UTF-16 if its mark says so. What is not UTF-8
 * becomes U+FFFD.
 */
export async function* readTexts(content: Content): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const part of inParts(content)) {
    if (typeof part === 'string') {
      yield isFirst ? part.replace(/^\uFEFF/, '') : part;
    } else {
      decoder ??= new TextDecoder(encodingOf(part));
      const text = decoder.decode(part, {stream: true});
      if (text !== '') yield text;
    }
    isFirst = false;
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield rest;
}

async function* inParts(content: Content): AsyncGenerator<Uint8Array | string> {
  for await (const part of content) {
    for (let start = 0; start < part.length; start += maxPart) {
      const end = start + maxPart;
      yield typeof part === 'string' ? part.slice(start, end) : part.subarray(start, end);
    }
  }
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
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
