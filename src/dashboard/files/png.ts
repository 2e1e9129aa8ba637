// Not by name: on an older Node.js the import would fail before `shortUrl` can say which version it needs.
import zlib from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Encodes a black and white picture as a PNG with one bit per pixel (ISO/IEC 15948).
 *
 * @param rows true for black; all rows have the same length
 * @param scale the width and height of a value of `rows`, in pixels
 */
export function encodePng(rows: ReadonlyArray<readonly boolean[]>, scale: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE((rows[0]?.length ?? 0) * scale, 0);
  header.writeUInt32BE(rows.length * scale, 4);
  // Bit depth 1, greyscale, and the default compression, filter and interlace methods.
  header.set([1, 0, 0, 0, 0], 8);
  const lines = rows.flatMap((row) => Array<Buffer>(scale).fill(lineOf(row, scale)));
  const data = zlib.deflateSync(Buffer.concat(lines));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** A scan line begins with the byte of its filter, 0 for none. A white pixel is 1. */
function lineOf(row: readonly boolean[], scale: number): Buffer {
  const line = Buffer.alloc(1 + Math.ceil((row.length * scale) / 8));
  for (let x = 0; x < row.length * scale; x++) {
    if (!row[Math.floor(x / scale)]) line[1 + (x >> 3)] = (line[1 + (x >> 3)] ?? 0) | (0x80 >> (x & 7));
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
