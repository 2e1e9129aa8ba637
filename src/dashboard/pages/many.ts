import {randomBytes} from 'node:crypto';
import type {Link} from '../../index.ts';
import {withoutScheme} from '../addresses.ts';
import {domainField} from '../forms/create-form.ts';
import {type Failure, noFailure} from '../forms/failures.ts';
import {field} from '../forms/field.ts';
import {type LinkRow, textOfRows} from '../forms/rows.ts';
import {attributes, html, type Html} from '../html.ts';
import {actionForm, alert, copyButton, copyIcon, notice} from '../parts/pieces.ts';
import type {DashboardRequest, Handler, PageReply} from '../request.ts';

/** What became of a line. */
export interface RowResult {
  readonly row: LinkRow;
  readonly link?: Link | undefined;
  /** Why there is no link. */
  readonly error?: string | undefined;
}

/** The page with a form that creates up to a hundred links. */
export const manyPage: Handler = (request) => showMany(request, '');

/**
 * @param text the lines of the form
 * @param results those of the lines that were sent before
 */
export function showMany(
  request: DashboardRequest,
  text: string,
  failure: Failure = noFailure,
  results: readonly RowResult[] = [],
): PageReply {
  const {texts, root} = request;
  const {many} = texts;
  return {
    status: failure.status,
    title: many.title,
    content: html`<p class="links-back"><a href="${root}#links-list">← ${texts.link.back}</a></p>
      <h1>${many.title}</h1>
      ${results.length > 0 && outcome(request, results)} ${form(request, text, failure)}`,
  };
}

/** The form after some lines had mistakes has those lines only. */
export function showResults(request: DashboardRequest, results: readonly RowResult[]): PageReply {
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
    ${made.length > 1 && html`<p>${copyButton(request, made.join('\n'), many.copyAll, many.copyAll)}</p>`}
    <div class="links-list">
      <table class="links-table" role="table" aria-label="${many.title}">
        <thead role="rowgroup">
          <tr role="row">
            ${[many.line, fields.url, fields.shortUrl].map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody role="rowgroup">
          ${results.map(
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
                          <a ${attributes({class: 'links-short', href: link.shortUrl})}
                            >${withoutScheme(link.shortUrl)}</a
                          >${copyIcon(request, link.shortUrl)}
                        </p>`
                  }
                </td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}
