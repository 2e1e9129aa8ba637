import type {Account} from '../../accounts/accounts.ts';
import {malformed, reader, readOptions} from '../../values/input.ts';
import {choice, integer} from '../../values/shape.ts';
import {inTurn} from '../long-reads.ts';
import {findOwn} from '../own-link.ts';
import type {LinkServices} from '../services.ts';
import {encodePng} from './png.ts';

/** The form of a QR code. */
export interface QrOptions<Format extends QrFormat = QrFormat> {
  /** @default 'svg' */
  readonly format?: Format | undefined;
  /**
   * The width and height in pixels: 64 to 2,000.
   * @default 300
   */
  readonly size?: number | undefined;
}

export type QrFormat = 'svg' | 'png';

/** The text of an SVG, or the bytes of a PNG. */
export type QrCode<Format extends QrFormat = QrFormat> = Format extends 'png' ? Buffer : string;

type Form = {readonly [Name in keyof QrOptions]-?: NonNullable<QrOptions[Name]>};

/** In modules. Scanners need this margin. */
const border = 4;

export const qrFormat = choice<QrFormat>(['svg', 'png']);
export const qrSize = integer(64, 2000);
export const usualSize = 300;

export function readQrOptions(options: QrOptions | undefined): Form {
  const {format = 'svg', size = usualSize} = readOptions(options, 'A QR code has', {
    format: reader(qrFormat, 'format of a QR code'),
    size: reader(qrSize, 'size of a QR code'),
  });
  return {format, size};
}

export async function qr<Format extends QrFormat = 'svg'>(
  services: Pick<LinkServices, 'store' | 'bases' | 'longReads'>,
  account: Account,
  shortUrl: string,
  options?: QrOptions<Format>,
): Promise<QrCode<Format>> {
  const {bases} = services;
  const read = readQrOptions(options);
  const {value: record} = await findOwn(services, account, shortUrl);
  return inTurn(services, account, async () => (await drawQrCode(bases.scannedUrls(record), read)) as QrCode<Format>);
}

/**
 * Draws a QR code with the error correction level M. A code of capitals may be smaller, but some cameras do not open
 * `HTTPS://`.
 *
 * @param texts the code holds the first of those with the fewest modules
 * @throws ShortUrlError `malformed_parameter` if the size has fewer pixels than the code has modules
 */
async function drawQrCode(texts: readonly string[], {format, size}: Form): Promise<QrCode> {
  const {encodeQR} = await import('qr');
  const codes = texts.map((text) => encodeQR(text, 'raw', {ecc: 'medium', border}));
  const rows = codes.reduce((first, other) => (other.length < first.length ? other : first));
  if (rows.length > size) throw malformed(`The QR code of this short URL needs a size of at least ${rows.length}.`);
  return format === 'png' ? encodePng(rows, size) : svgOf(rows, size);
}

/** One rectangle for each run of dark modules, which takes a third of what one for each module does. */
function svgOf(rows: ReadonlyArray<readonly boolean[]>, size: number): string {
  const runs = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) =>
      isDark && !row[x - 1] ? [`M${x} ${y}h${runLength(row, x)}v1h-${runLength(row, x)}z`] : [],
    ),
  );
  const side = rows.length;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${runs.join('')}"/></svg>`;
}

function runLength(row: readonly boolean[], start: number): number {
  const end = row.indexOf(false, start);
  return (end === -1 ? row.length : end) - start;
}
