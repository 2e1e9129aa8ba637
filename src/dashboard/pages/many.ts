import {createHash, randomBytes} from 'node:crypto';
import type {Link} from '../../index.ts';
import {withoutScheme} from '../addresses.ts';
import {domainField} from '../forms/create-form.ts';
import {type Failure, failureOf, noFailure, staleForm} from '../forms/failures.ts';
import {field} from '../forms/field.ts';
import {filled} from '../forms/link-fields.ts';
import {hasToken} from '../forms/protection.ts';
import {type LinkRow, maxRows, readRows, textOfRows} from '../forms/rows.ts';
import {attributes, html, type Html} from '../html.ts';
import {actionForm, alert, backLink, copyButton, copyIcon, notice, table} from '../parts/pieces.ts';
import type {DashboardRequest, PageReply, Reply} from '../request.ts';

interface RowResult {
  readonly row: LinkRow;
  readonly link?: Link | undefined;
  readonly error?: string | undefined;
}

/**
 * The page with a form that creates up to a hundred links.
 *
 * @param text the lines of the form
 * @param results those of the lines that were sent before
 */
export function showMany(
  request: DashboardRequest,
  text = '',
  failure: Failure = noFailure,
  results: readonly RowResult[] = [],
): PageReply {
  const {many} = request.texts;
  return {
    status: failure.status,
    title: many.title,
    content: html`${backLink(request)}
      <h1>${many.title}</h1>
      ${results.length > 0 && outcome(request, results)} ${form(request, text, failure)}`,
  };
}

/** The form after some lines had mistakes has those lines only. */
function showResults(request: DashboardRequest, results: readonly RowResult[]): PageReply {
  const rest = results.filter(({link}) => link === undefined).map(({row}) => row);
  const entered = {base_domain: request.form.get('base_domain') ?? ''};
  return showMany(request, textOfRows(rest), {...noFailure, entered}, results);
}

function form(request: DashboardRequest, text: string, failure: Failure): Html {
  const {many} = request.texts;
  return html`<section class="links-card">
    ${actionForm(
      request,
      'create-many',
      // The same form, sent twice, creates its links once.
      {once: randomBytes(12).toString('base64url')},
      html`${failure.errors.form !== undefined && alert(failure.errors.form)}
        ${field({
          name: 'lines',
          label: many.lines,
          hint: many.linesHint,
          text,
          attributes: {rows: 8, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', wrap: 'off'},
        })}
        ${domainField(request, failure)}
        ${field({
          name: 'file',
          label: many.file,
          hint: many.fileHint,
          attributes: {type: 'file', accept: '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain'},
        })} <button class="links-button">${many.submit}</button>`,
      {enctype: 'multipart/form-data'},
    )}
  </section>`;
}

/** Each line with its short URL, or with what is wrong. */
function outcome(request: DashboardRequest, results: readonly RowResult[]): Html {
  const {texts, formats} = request;
  const {many, fields} = texts;
  const made = results.map(({link}) => link?.shortUrl).filter((shortUrl) => shortUrl !== undefined);
  const failed = results.length - made.length;
  return html`${made.length > 0 && notice(html`<p>${formats.count(made.length, many.made)}</p>`)}
    ${failed > 0 && alert(formats.count(failed, many.failed))}
    ${made.length > 1 && html`<p>${copyButton(request, {'data-copy': made.join('\n')}, many.copyAll)}</p>`}
    <div class="links-list">
      ${table(
        {'aria-label': many.title},
        [many.line, fields.url, fields.shortUrl],
        results.map(
          ({row, link, error}) =>
            html`<tr role="row">
              <td role="cell" data-label="${many.line}">${formats.number(row.line)}</td>
              <td role="cell" class="links-addresses">
                <span class="links-long"><bdi>${row.url.slice(0, 300)}</bdi></span>
              </td>
              <td role="cell" class="links-addresses">
                ${
                  link === undefined
                    ? html`<p class="links-error">${error}</p>`
                    : html`<p class="links-short-line">
                        <a ${attributes({class: 'links-short', href: link.shortUrl})}>${withoutScheme(link.shortUrl)}</a
                        >${copyIcon(request, link.shortUrl)}
                      </p>`
                }
              </td>
            </tr>`,
        ),
      )}
    </div>`;
}

/** Creates a link for each line of a text or of a file. */
export async function createMany(request: DashboardRequest): Promise<Reply> {
  const {texts, form} = request;
  const file = form.get('file') ?? '';
  const isFile = file.trim() !== '';
  const text = isFile ? file : (form.get('lines') ?? '');
  const entered = {base_domain: form.get('base_domain') ?? ''};
  const refuse = (error: string): Reply => showMany(request, text, {status: 400, entered, errors: {form: error}});
  if (!hasToken(request)) return showMany(request, text, staleForm(request, entered));
  const rows = await readRows(text, isFile);
  if (rows === undefined) return refuse(texts.many.unreadable);
  if (rows.length === 0) return refuse(texts.many.none);
  if (rows.length > maxRows) return refuse(texts.many.tooMany);
  return showResults(request, await createAll(request, rows));
}

async function createAll(request: DashboardRequest, rows: readonly LinkRow[]): Promise<RowResult[]> {
  const {shortener, account, form} = request;
  const links = rows.map(({url, customUrl, title}) => ({
    url,
    customUrl: filled(customUrl),
    title: filled(title),
    baseDomain: filled(form.get('base_domain')),
  }));
  // Lines that were changed after the browser went back are another call.
  const call = JSON.stringify([form.get('once'), links]);
  const idempotencyKey = createHash('sha256').update(call).digest('base64url');
  const results: RowResult[] = [];
  for await (const {link, error} of shortener.links.createMany(account, links, {idempotencyKey})) {
    const row = rows[results.length];
    if (row === undefined) break;
    results.push({row, link, error: error && messageOf(request, error, row)});
  }
  return results;
}

/** @throws the error itself if it is not a mistake of the user */
function messageOf(request: DashboardRequest, error: unknown, {url, customUrl}: LinkRow): string | undefined {
  const {errors} = request.texts;
  if (url === '') return errors.missing_url;
  const failure: Failure = failureOf(request, error, {...noFailure.entered, custom_url: customUrl});
  return (error as {code?: unknown}).code === 'malformed_parameter' ? errors.title : Object.values(failure.errors)[0];
}
