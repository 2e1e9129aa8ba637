import type {Link} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {field} from '../forms/field.ts';
import {card, hiddenInputs} from './pieces.ts';
import {fileNameOf} from '../files/file-name.ts';
import {qrSizes} from '../files/qr-code.ts';
import type {Texts} from '../texts/en.ts';

/** The QR code of a link, with downloads. */
export function qrPanel(request: DashboardRequest, link: Link): Html {
  const {qr} = request.texts;
  const panel = html`<div class="links-qr">
    ${qrImage(request, link.shortUrl)}
    <div>
      <p>${qr.hint}</p>
      <p class="links-row">${qrDownloads(request, link)}</p>
      ${sizeForm(request, link)}
    </div>
  </div>`;
  return card('qr', qr.title, panel);
}

/** Saves the code in a size of the user's choice. */
function sizeForm({texts: {qr}, root}: DashboardRequest, {shortUrl}: Link): Html {
  const buttons = ['svg', 'png'].map(
    (format) =>
      html`<button class="links-button links-small" formaction="${root}qr.${format}">
        ${qr.download(format.toUpperCase())}
      </button>`,
  );
  return html`<details class="links-more">
    <summary>${qr.otherSize}</summary>
    <form action="${root}qr.png">
      ${hiddenInputs({short_url: shortUrl})} ${sizeField(qr)}
      <p class="links-row">${buttons}</p>
    </form>
  </details>`;
}

/** The field for the width of a code, in pixels. */
export function sizeField(qr: Texts['qr'], size?: string): Html {
  const {min, max, usual} = qrSizes;
  const own = {type: 'number', inputmode: 'numeric', min, max, value: size ?? usual, required: true};
  return field({name: 'size', label: qr.size, attributes: own});
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
