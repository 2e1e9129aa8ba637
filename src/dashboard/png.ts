import {crc32, deflateSync} from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * A black and white picture, as a PNG of one bit for each pixel (ISO/IEC 15948).
 *
 * @param rows true for black; all of one length
 * @param scale how many pixels wide and high each of them becomes
 */
export function encodePng(rows: ReadonlyArray<readonly boolean[]>, scale: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE((rows[0]?.length ?? 0) * scale, 0);
  header.writeUInt32BE(rows.length * scale, 4);
  // One bit for each pixel, greys; compression, filter and interlacing as the standard has them by default.
  header.set([1, 0, 0, 0, 0], 8);
  const lines = rows.flatMap((row) => Array<Buffer>(scale).fill(lineOf(row, scale)));
  const data = deflateSync(Buffer.concat(lines));
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** A line begins with the number of its filter, none. In its bits white is 1. */
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
  frame.writeUInt32BE(crc32(body), body.length + 4);
  return frame;
}
