import type {QrFormat} from '../../index.ts';
import {type DashboardRequest, type Handler, NotFound, ofOwnLink} from '../request.ts';
import {fileNameOf} from './file-name.ts';

const maxAge = 300;

/** The sizes that a user may choose, in pixels. The largest code has 185 modules. */
export const qrSizes = {min: 200, max: 2000, usual: 1200};

/** The QR code of a short URL as SVG. */
export const qrSvg = qrFile('svg', 'image/svg+xml');

/** The QR code of a short URL as PNG, by default large enough for print. */
export const qrPng = qrFile('png', 'image/png', qrSizes.usual);

/** @throws NotFound for a link that the account does not have, and for a size that the page does not offer */
function qrFile(format: QrFormat, type: string, usual?: number): Handler {
  return async (request) => {
    const {shortener, account, query} = request;
    const shortUrl = query.get('short_url') ?? '';
    const size = sizeIn(request);
    const [{shortUrlPart}, body] = await ofOwnLink(
      Promise.all([
        shortener.links.info(account, shortUrl),
        shortener.links.qr(account, shortUrl, {format, size: size ?? usual}),
      ]),
    );
    return {type, body, maxAge, ...(size !== undefined && {download: `${fileNameOf(shortUrlPart)}.${format}`})};
  };
}

/** The size that the user has chosen; undefined if the query names none. */
function sizeIn({query}: DashboardRequest): number | undefined {
  const text = query.get('size');
  if (text === null) return undefined;
  const size = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (size >= qrSizes.min && size <= qrSizes.max) return size;
  throw new NotFound();
}
