import {withoutScheme} from '../addresses.ts';
import type {Plural} from '../formats.ts';
import {csvFile, csvFormOf, csvLines} from '../files/csv-file.ts';
import {filled} from '../forms/link-fields.ts';
import {attributes, beginning, html, type Html} from '../html.ts';
import {actionForm, alert, backLink, copyButton, copyIcon, notice} from '../parts/pieces.ts';
import {listTable} from '../parts/tables.ts';
import {codesForm} from '../pages/qr-codes.ts';
import type {DashboardRequest, PageReply} from '../request.ts';
import {hasMore, type RowResult} from './portion.ts';
import {portionsForm, progressBar} from './progress.ts';
import {showMany} from './read.ts';
import {textOfRows} from './rows.ts';
import {chosenOf, hiddenOf, type Sheet} from './sheet.ts';

/** How many rows are shown. All are in the file. */
const maxShown = 100;

/** How many QR codes one file has. */
const maxCodes = 200;

interface Outcome {
  readonly results: readonly RowResult[];
  readonly rest: Sheet;
  readonly action: 'create-many' | 'change-many';
  readonly done: Plural;
}

/** What became of a portion of the rows, and a form for those that are left; at the end, for those with a mistake. */
export function showResults(request: DashboardRequest, {results, rest, action, done}: Outcome): PageReply {
  const {texts, form, formats} = request;
  const {many} = texts;
  const failed = results.filter(({error}) => error !== undefined);
  const before = {done: countIn(request, 'done'), failed: countIn(request, 'failed')};
  const counts = {
    done: before.done + results.filter(({isDone}) => isDone).length,
    failed: before.failed + failed.length,
  };
  const failedText = textOfRows(
    request,
    failed.map(({row}) => row),
    rest,
  );
  const wrong = joined(form.get('wrong') ?? '', failedText);
  const isOver = rest.text.trim() === '' && !hasMore(request);
  const above = html`${counts.done > 0 && notice(html`<p>${formats.count(counts.done, done)}</p>`)}
  ${counts.failed > 0 && alert(formats.count(counts.failed, many.failed))}
  ${action === 'create-many' && madeLinks(request, results)} ${answerLink(request, results)}
  ${!isOver && restForm(request, {...counts, wrong}, rest, action)} ${resultsTable(request, results)}`;
  if (isOver) return showMany(request, wrong, undefined, above);
  return {
    title: many.title,
    content: html`${backLink(request)}
      <h1>${many.title}</h1>
      ${above}`,
  };
}

function countIn({form}: DashboardRequest, name: string): number {
  return Math.trunc(Number(form.get(name) ?? 0)) || 0;
}

/** Texts of rows, of which each has the headings. */
function joined(before: string, text: string): string {
  if (before === '' || text === '') return before + text;
  return `${before.trimEnd()}\n${text.slice(text.indexOf('\n') + 1)}`;
}

/** A button that goes on with the rows that are left. The script presses it. */
function restForm(
  request: DashboardRequest,
  {done, failed, wrong}: {done: number; failed: number; wrong: string},
  rest: Sheet,
  action: Outcome['action'],
): Html {
  const {form, texts} = request;
  const kept = ['once', 'base_domain', 'tags', 'confirmed'].map((name) => [name, form.get(name)] as const);
  const fields = {
    ...Object.fromEntries(kept),
    ...chosenOf(rest),
    ...hiddenOf(rest),
    ...{done: String(done), failed: String(failed), wrong},
  };
  return actionForm(
    request,
    action,
    fields,
    html`<p class="links-row">
        <button class="links-button" autofocus>${texts.many.goOn}</button>
        <span class="links-quiet">${texts.many.left}</span>
      </p>
      ${progressBar(request)}`,
    portionsForm(request, 'links-rest'),
  );
}

function madeLinks(request: DashboardRequest, results: readonly RowResult[]): Html | undefined {
  const {texts} = request;
  const made = results.flatMap(({shortUrl, isDone}) => (isDone && shortUrl !== undefined ? [shortUrl] : []));
  if (made.length < 2) return undefined;
  return html`<div class="links-row">
    ${copyButton(request, {'data-copy': made.join('\n')}, texts.many.copyAll)}
    ${
      made.length <= maxCodes &&
      html`<details class="links-more">
        <summary>${texts.selection.qrCodes}</summary>
        ${codesForm(request, made)}
      </details>`
    }
  </div>`;
}

/** The answer as a file, which is in the page, because nothing keeps it. */
function answerLink(request: DashboardRequest, results: readonly RowResult[]): Html {
  const {fields, many} = request.texts;
  const rows = results.map(({row: {entered}, shortUrl, error}) => [entered.url, shortUrl, entered.title, error]);
  const lines = csvLines(csvFormOf(request), [[fields.url, fields.shortUrl, fields.title, many.mistake], ...rows]);
  const {type, body} = csvFile([lines], 'links.csv');
  const href = `data:${type.replace(' ', '')};base64,${Buffer.from(body).toString('base64')}`;
  return html`<p><a class="links-answer" ${attributes({href, download: 'links.csv'})}>${many.answer}</a></p>`;
}

/** Each line with its short URL, or with what is wrong. */
function resultsTable(request: DashboardRequest, results: readonly RowResult[]): Html {
  const {texts, formats} = request;
  const {many, fields} = texts;
  return html`<div class="links-list">
    ${listTable(
      {'aria-label': many.title},
      [
        {name: many.line, cell: ({row}) => formats.number(row.line)},
        {
          name: html`${fields.url}`,
          className: 'links-addresses',
          cell: ({row}) =>
            html`<span class="links-long"><bdi>${beginning(filled(row.entered.url) ?? row.shortUrl, 300)}</bdi></span>`,
        },
        {
          name: html`${fields.shortUrl}`,
          className: 'links-made',
          cell: ({shortUrl, error}) =>
            html`${
              shortUrl !== undefined &&
              html`<p class="links-short-line">
                <a ${attributes({class: 'links-short', href: shortUrl})}>${withoutScheme(shortUrl)}</a
                >${copyIcon(request, shortUrl)}
              </p>`
            }
            ${error !== undefined && html`<p class="links-error">${error}</p>`}`,
        },
      ],
      results.slice(0, maxShown),
    )}
  </div>`;
}
