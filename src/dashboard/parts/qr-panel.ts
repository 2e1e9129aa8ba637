import type {Link} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {card} from './pieces.ts';
import {fileNameOf} from '../files/file-name.ts';

/** The QR code of a link, with downloads. */
export function qrPanel(request: DashboardRequest, link: Link): Html {
  const {qr} = request.texts;
  const panel = html`<div class="links-qr">
    ${qrImage(request, link.shortUrl)}
    <div>
      <p>${qr.hint}</p>
      <p class="links-row">${qrDownloads(request, link)}</p>
    </div>
  </div>`;
  return card('qr', qr.title, panel);
}

export function qrImage({texts, root}: DashboardRequest, shortUrl: string): Html {
  const address = withQuery(`${root}qr.svg`, {short_url: shortUrl});
  return html`<img class="links-code" src="${address}" alt="${texts.qr.alt(shortUrl)}" width="176" height="176" />`;
}

export function qrDownloads({texts, root}: DashboardRequest, {shortUrl, shortUrlPart}: Link): Html[] {
  return ['svg', 'png'].map((format) => {
    const address = withQuery(`${root}qr.${format}`, {short_url: shortUrl});
    return html`<a class="links-button links-small" href="${address}" download="${fileNameOf(shortUrlPart)}.${format}"
      >${texts.qr.download(format.toUpperCase())}</a
    >`;
  });
}
