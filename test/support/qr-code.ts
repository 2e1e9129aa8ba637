import {createRequire} from 'node:module';
import {inflateSync} from 'node:zlib';

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel: red, green, blue, alpha. */
  readonly data: Uint8Array;
}

/** The package's own types need the DOM library. */
const {default: decodeQR} = createRequire(import.meta.url)('qr/decode.js') as {
  default: (picture: Picture) => string;
};

/** The text of a QR code, from an SVG or a PNG of `links.qr`. */
export function readQrCode(picture: string | Buffer): string {
  return decodeQR(typeof picture === 'string' ? drawSvg(picture) : readPng(picture));
}

/** Reads a PNG with one bit a pixel, without the code that wrote it. */
function readPng(file: Buffer): Picture {
  if (file.subarray(0, 8).toString('latin1') !== '\x89PNG\r\n\x1a\n') throw new Error('It is no PNG');
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    chunks.set(file.toString('latin1', at + 4, at + 8), file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const header = chunks.get('IHDR') ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const lines = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  const stride = 1 + Math.ceil(width / 8);
  const data = new Uint8Array(width * height * 4).fill(255);
  for (let index = 0; index < width * height; index++) {
    const x = index % width;
    const byte = lines[Math.floor(index / width) * stride + 1 + (x >> 3)] ?? 0;
    data.fill((byte >> (7 - (x & 7))) & 1 ? 255 : 0, index * 4, index * 4 + 3);
  }
  return {width, height, data};
}

/** Draws the SVG, which is a path of horizontal runs of dark modules, with eight pixels a module. */
function drawSvg(svg: string): Picture {
  const scale = 8;
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const width = size * scale;
  const data = new Uint8Array(width * width * 4).fill(255);
  const [, path = ''] = /<path d="([^"]*)"/.exec(svg) ?? [];
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++) {
      const start = row * width + Number(x) * scale;
      for (let pixel = start; pixel < start + Number(length) * scale; pixel++) data.fill(0, pixel * 4, pixel * 4 + 3);
    }
  }
  return {width, height: width, data};
}
