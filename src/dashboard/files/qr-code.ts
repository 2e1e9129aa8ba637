import type {QrOptions} from '../../index.ts';
import {type Handler, ownLink} from '../request.ts';

const maxAge = 300;

/** The QR code of a short URL as SVG. */
export const qrSvg = qrFile('image/svg+xml');

/** The same as PNG, large enough for print. */
export const qrPng = qrFile('image/png', {format: 'png', size: 1200});

/** @throws NotFound for a link that the account does not have */
function qrFile(type: string, options?: QrOptions): Handler {
  return async (request) => {
    const {shortener, account, query} = request;
    const {shortUrl} = await ownLink(request, query.get('short_url') ?? '');
    return {type, body: await shortener.links.qr(account, shortUrl, options), maxAge};
  };
}
