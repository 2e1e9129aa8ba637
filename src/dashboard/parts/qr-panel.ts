import type {Link} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';

/** The QR code of a link, with downloads. */
export function qrPanel({texts, root}: DashboardRequest, {shortUrl, shortUrlPart}: Link): Html {
  const addressOf = (format: string): string => withQuery(`${root}qr.${format}`, {short_url: shortUrl});
  const download = (format: string): Html =>
    html`<a class="links-button links-small" href="${addressOf(format)}" download="${shortUrlPart}.${format}"
      >${texts.qr.download(format.toUpperCase())}</a
    >`;
  return html`<section class="links-card" aria-labelledby="links-qr-title">
    <h2 id="links-qr-title">${texts.qr.title}</h2>
    <div class="links-qr">
      <img src="${addressOf('svg')}" alt="${texts.qr.alt(shortUrl)}" width="176" height="176" />
      <div>
        <p>${texts.qr.hint}</p>
        <p class="links-row">${download('svg')} ${download('png')}</p>
      </div>
    </div>
  </section>`;
}
