import type {Link, QrFormat} from '../../index.ts';
import {withoutScheme} from '../addresses.ts';
import {captioned} from '../files/caption.ts';
import {fileNameOf} from '../files/file-name.ts';
import {qrSizes} from '../files/qr-code.ts';
import {packZip, type ZipEntry} from '../files/zip.ts';
import {staleForm} from '../forms/failures.ts';
import {field} from '../forms/field.ts';
import {hasToken} from '../forms/protection.ts';
import {html, type Html} from '../html.ts';
import {actionForm, alert, backLink} from '../parts/pieces.ts';
import {sizeField} from '../parts/qr-panel.ts';
import {type DashboardRequest, linkIfOwn, NotFound, type PageReply, type Reply} from '../request.ts';

/** A bound on the work of one file: a code takes some milliseconds. */
const maxCodes = 200;

/** What a file can have. A PNG has no caption, because a server has no fonts. */
const formats = ['svg', 'captioned', 'png'] as const;

/** The page of the QR codes of a tag. */
export async function showTagCodes(request: DashboardRequest): Promise<PageReply> {
  const {shortener, account, query} = request;
  const tag = (query.get('tag') ?? '').trim();
  const links: Link[] = [];
  let isCut = false;
  for await (const link of shortener.links.list(account, tag === '' ? {order: 'newest'} : {tag, order: 'newest'})) {
    isCut = links.length === maxCodes;
    if (isCut) break;
    links.push(link);
  }
  if (links.length === 0) throw new NotFound();
  return showCodes(
    request,
    links.map(({shortUrl}) => shortUrl),
    {isCut},
  );
}

interface Outcome {
  readonly isCut?: boolean;
  readonly status?: number;
  readonly error?: string | undefined;
}

/** The page that names the links, and asks how their codes shall be. */
export function showCodes(
  request: DashboardRequest,
  shortUrls: readonly string[],
  {isCut = false, status, error}: Outcome = {},
): PageReply {
  const {texts, formats: numbers} = request;
  const title = numbers.count(shortUrls.length, texts.qr.many);
  return {
    status,
    title,
    content: html`${backLink(request)}
      <h1>${title}</h1>
      ${error !== undefined && alert(error)}
      <section class="links-card">
        ${isCut && html`<p>${texts.qr.newest(numbers.number(maxCodes))}</p>`} ${codesForm(request, shortUrls)}
        <details class="links-more">
          <summary>${texts.tabs.links}</summary>
          <ul class="links-plain-list">
            ${shortUrls.map((shortUrl) => html`<li><bdi>${withoutScheme(shortUrl)}</bdi></li>`)}
          </ul>
        </details>
      </section>`,
  };
}

/** Saves the QR codes of links in one file. */
export function codesForm(request: DashboardRequest, shortUrls: readonly string[]): Html {
  const {qr} = request.texts;
  return actionForm(
    request,
    'qr.zip',
    {short_urls: shortUrls.join('\n')},
    html`<div class="links-pair">
        ${field({
          name: 'format',
          label: qr.format,
          options: formats.map((format) => [format, qr.formats[format]]),
          attributes: {value: request.form.get('format') ?? 'svg'},
        })}
        ${sizeField(qr, request.form.get('size'))}
      </div>
      <p><button class="links-button">${qr.all}</button></p>`,
  );
}

/** The QR codes of some links of the account, as one file. */
export async function qrZip(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, texts, formats: numbers, now} = request;
  const shortUrls = [...new Set((form.get('short_urls') ?? '').split(/\s+/, 2 * maxCodes).filter(Boolean))].slice(
    0,
    maxCodes,
  );
  if (!hasToken(request)) return showCodes(request, shortUrls, {status: 403, error: staleForm(request).errors.form});
  const format = formats.find((each) => each === form.get('format')) ?? 'svg';
  const size = Number(form.get('size'));
  if (!Number.isInteger(size) || size < qrSizes.min || size > qrSizes.max) {
    const error = texts.qr.badSize(numbers.number(qrSizes.min), numbers.number(qrSizes.max));
    return showCodes(request, shortUrls, {status: 400, error});
  }
  const names = new Set<string>();
  const entries: ZipEntry[] = [];
  for (const each of shortUrls) {
    const link = await linkIfOwn(request, each);
    if (link === undefined) continue;
    const {shortUrl, shortUrlPart, title} = link;
    const extension: QrFormat = format === 'png' ? 'png' : 'svg';
    const code = await shortener.links.qr(account, shortUrl, {format: extension, size});
    const body = format === 'captioned' && title !== null ? captioned(String(code), title) : code;
    entries.push({name: freeName(fileNameOf(shortUrlPart), extension, names), body});
  }
  if (entries.length === 0) throw new NotFound();
  const {date, time} = numbers.local(now);
  const body = packZip(entries, `${date} ${time}`);
  return {type: 'application/zip', body, maxAge: 0, download: 'qr-codes.zip'};
}

/** A name that no file has yet: of links on other domains, and where a file system ignores case. */
function freeName(name: string, format: QrFormat, taken: Set<string>): string {
  for (let number = 1; ; number += 1) {
    const free = `${name}${number === 1 ? '' : `-${number}`}.${format}`;
    const key = free.toLowerCase();
    if (taken.has(key)) continue;
    taken.add(key);
    return free;
  }
}
