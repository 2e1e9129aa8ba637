import {encodeQR} from 'qr';
import {encodePng} from './png.ts';
import {type DashboardRequest, type FileReply, type Handler, ownLink} from '../request.ts';

/** In modules. Scanners need this margin. */
const border = 4;
/** The minimum width and height of the PNG in pixels, enough for print. */
const minSide = 1024;
const maxAge = 300;

/** The QR code of a short URL as SVG. */
export const qrSvg: Handler = async (request): Promise<FileReply> => {
  const rows = await codeOf(request);
  const runs = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) =>
      isDark && !row[x - 1] ? [`M${x} ${y}h${runLength(row, x)}v1h-${runLength(row, x)}z`] : [],
    ),
  );
  const size = rows.length;
  const body = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${runs.join('')}"/></svg>`;
  return {type: 'image/svg+xml', body, maxAge};
};

/** The QR code of a short URL as PNG. */
export const qrPng: Handler = async (request): Promise<FileReply> => {
  const rows = await codeOf(request);
  return {type: 'image/png', body: encodePng(rows, Math.ceil(minSide / rows.length)), maxAge};
};

/** The modules of the code, row by row; true for a dark one. */
async function codeOf(request: DashboardRequest): Promise<boolean[][]> {
  const {shortUrl} = await ownLink(request, request.query.get('short_url') ?? '');
  return encodeQR(shortUrl, 'raw', {ecc: 'medium', border});
}

function runLength(row: readonly boolean[], start: number): number {
  const end = row.indexOf(false, start);
  return (end === -1 ? row.length : end) - start;
}
