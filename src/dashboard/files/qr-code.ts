import {type DashboardRequest, type FileReply, type Handler, ownLink} from '../request.ts';

const maxAge = 300;

/** The QR code of a short URL as SVG. */
export const qrSvg: Handler = async (request): Promise<FileReply> => {
  const body = await request.shortener.links.qr(request.account, await shortUrlOf(request));
  return {type: 'image/svg+xml', body, maxAge};
};

/** The QR code of a short URL as PNG, large enough for print. */
export const qrPng: Handler = async (request): Promise<FileReply> => {
  const options = {format: 'png', size: 1200} as const;
  const body = await request.shortener.links.qr(request.account, await shortUrlOf(request), options);
  return {type: 'image/png', body, maxAge};
};

/** @throws NotFound for a link that the account does not have */
async function shortUrlOf(request: DashboardRequest): Promise<string> {
  const {shortUrl} = await ownLink(request, request.query.get('short_url') ?? '');
  return shortUrl;
}
