// Not by name: on an older Node.js the import would fail before `shortUrl` can say which version it needs.
import {promisify} from 'node:util';
import zlib from 'node:zlib';

const deflate = promisify(zlib.deflate);

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Encodes a black and white picture as a PNG with one bit per pixel (ISO/IEC 15948). The values are as large as fit, and
 * the rest is a white margin.
 *
 * @param rows as many as each of them has values; true for black
 * @param size the width and height in pixels, at least the number of rows
 */
export async function encodePng(rows: ReadonlyArray<readonly boolean[]>, size: number): Promise<Buffer> {
  const scale = Math.floor(size / rows.length);
  const margin = Math.floor((size - rows.length * scale) / 2);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Bit depth 1, greyscale, and the default compression, filter and interlace methods.
  header.set([1, 0, 0, 0, 0], 8);
  const lines = rows.map((row) => lineOf(row, {scale, margin, size}));
  const white = lineOf([], {scale, margin, size});
  const picture = Array.from({length: size}, (_, y) => lines[Math.floor((y - margin) / scale)] ?? white);
  const data = await deflate(Buffer.concat(picture));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

interface Measures {
  readonly scale: number;
  readonly margin: number;
  readonly size: number;
}

/** A scan line begins with the byte of its filter, 0 for none. A white pixel is 1. */
function lineOf(row: readonly boolean[], {scale, margin, size}: Measures): Buffer {
  const line = Buffer.alloc(1 + Math.ceil(size / 8));
  for (let x = 0; x < size; x++) {
    if (!row[Math.floor((x - margin) / scale)]) line[1 + (x >> 3)] = (line[1 + (x >> 3)] ?? 0) | (0x80 >> (x & 7));
  }
  return line;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(body.length + 8);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(zlib.crc32(body), body.length + 4);
  return frame;
}
