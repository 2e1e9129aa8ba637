import {TextDecoder} from 'node:util';
import {markedEncoding, packedKind, partsOf} from '../tables/texts.ts';
import {ToolError} from './tool-error.ts';

/** A line of a file, without its end. */
export interface TextLine {
  /** From 1. */
  readonly number: number;
  readonly text: string;
}

/** In bytes. The longest line of an export has some 100 kB. */
const maxLine = 16 * 2 ** 20;

const lineEnd = 0x0a;

/**
 * Splits UTF-8, or UTF-16 with a byte order mark as a PowerShell writes it, into lines in bounded memory. Only a line feed ends a line. `node:readline` would also split at other
 * Unicode separators, which JSON may have.
 *
 * @throws ToolError `malformed_file` for a packed file, or a line that is too long or is not UTF-8
 */
export async function* linesOf(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<TextLine> {
  const decoder = new TextDecoder('utf-8', {fatal: true, ignoreBOM: false});
  let number = 0;
  let rest: Uint8Array[] = [];
  let length = 0;
  const line = (last: Uint8Array): TextLine => {
    number += 1;
    const bytes = rest.length === 0 ? last : Buffer.concat([...rest, last]);
    rest = [];
    length = 0;
    try {
      return {number, text: decoder.decode(bytes)};
    } catch (cause) {
      throw new ToolError('malformed_file', `Line ${number} is not UTF-8`, {cause});
    }
  };
  for await (const part of inUtf8(source)) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    let start = 0;
    for (let end = bytes.indexOf(lineEnd); end !== -1; end = bytes.indexOf(lineEnd, start)) {
      yield line(bytes.subarray(start, end));
      start = end + 1;
    }
    if (start === bytes.length) continue;
    rest.push(bytes.subarray(start));
    length += bytes.length - start;
    if (length > maxLine) {
      throw new ToolError('malformed_file', `Line ${number + 1} is longer than 16 MB, so this is not an export`);
    }
  }
  if (rest.length > 0) yield line(new Uint8Array());
}

async function* inUtf8(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const part of partsOf(source)) {
    if (isFirst && typeof part !== 'string') {
      const packed = packedKind(part);
      if (packed !== undefined)
        throw new ToolError('malformed_file', `The file is packed (${packed}). Unpack it first`);
      const encoding = markedEncoding(part);
      if (encoding !== undefined && encoding !== 'utf-8') decoder = new TextDecoder(encoding);
    }
    isFirst = false;
    yield decoder === undefined || typeof part === 'string' ? part : decoder.decode(part, {stream: true});
  }
}
