import {type DecodedFile, decodeFile} from '../../tables/texts.ts';
import {UnreadableTable} from '../../tables/unreadable.ts';
import type {PageLanguage} from '../../index.ts';
import {type Failure, noFailure, staleForm} from '../forms/failures.ts';
import {field} from '../forms/field.ts';
import {hasToken} from '../forms/protection.ts';
import {html, type Html} from '../html.ts';
import {actionForm, alert, backLink, note} from '../parts/pieces.ts';
import type {DashboardRequest, PageReply, Reply} from '../request.ts';
import {progressBar, unfinished} from './progress.ts';
import {showPreview} from './preview.ts';
import {hasSheet, openSheet, type Sheet, sheetIn} from './sheet.ts';

/**
 * The page with a form for the text or the file of many links.
 *
 * @param text the lines of the form
 * @param above what became of the lines that were sent before
 */
export function showMany(
  request: DashboardRequest,
  text = '',
  {status, errors}: Failure = noFailure,
  above?: Html,
): PageReply {
  const {texts, form} = request;
  const {many} = texts;
  // Rows that come back to be corrected are for the same domain and tags.
  const ofAll = text === '' ? {} : {base_domain: form.get('base_domain'), tags: form.get('tags')};
  return {
    status,
    title: many.title,
    content: html`${backLink(request)}
      <h1>${many.title}</h1>
      ${above} ${unfinished(request)}
      <section class="links-card">
        ${actionForm(
          request,
          'read-many',
          ofAll,
          html`${errors.form !== undefined && alert(errors.form)}
            ${field({
              name: 'lines',
              label: many.lines,
              hint: many.linesHint,
              text,
              attributes: {rows: 8, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', wrap: 'off'},
            })}
            ${field({
              name: 'file',
              label: many.file,
              attributes: {type: 'file', accept: '.csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain'},
            })} <button class="links-button">${many.readIt}</button> ${progressBar(request)}`,
          {enctype: 'multipart/form-data'},
        )}
      </section>`,
  };
}

/** Shows what was read of a text or a file, and what each column is taken for. Nothing is made or changed. */
export async function readMany(request: DashboardRequest): Promise<Reply> {
  const {texts, form, file} = request;
  const lines = form.get('lines') ?? '';
  if (!hasToken(request)) return showMany(request, lines, staleForm(request));
  const preview = (
    sheet: Sheet | undefined,
    shown?: {above?: Html | undefined; encoding?: string | undefined},
  ): PageReply | Promise<PageReply> =>
    sheet === undefined ? refuse(request, lines, texts.many.none) : showPreview(request, sheet, shown);
  return orRefuse(request, async () => {
    if (hasSheet(form)) return preview(await sheetIn(request, true));
    const decoded = file === undefined || file.length === 0 ? undefined : decode(request, file);
    if (decoded === null) return refuse(request, lines, texts.many.packed);
    const text = decoded?.text ?? lines;
    const isGuessed = decoded !== undefined && !decoded.encoding.startsWith('utf');
    const above = isGuessed ? note(texts.many.encoding(decoded.encoding)) : undefined;
    return preview(await openSheet(request, text, decoded !== undefined), {above, encoding: decoded?.encoding});
  });
}

/** Does something with a table, or says that it cannot be read. */
export async function orRefuse(request: DashboardRequest, work: () => Promise<Reply>): Promise<Reply> {
  const {form, texts} = request;
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnreadableTable)) throw error;
    return refuse(request, (form.get('heading') ?? '') + (form.get('lines') ?? ''), texts.many.unreadable);
  }
}

function refuse(request: DashboardRequest, lines: string, error: string): PageReply {
  return showMany(request, lines, {status: 400, entered: {}, errors: {form: error}});
}

/** The encodings of files that spreadsheets write without saying so, by the language of the page. */
const usualEncodings: Readonly<Partial<Record<PageLanguage, string>>> = {'zh-Hans': 'gb18030', 'zh-Hant': 'big5'};

/** @returns null if the file is no text */
function decode({language}: DashboardRequest, file: Uint8Array): DecodedFile | null {
  try {
    return decodeFile(file, usualEncodings[language] ?? 'windows-1252');
  } catch (error) {
    if (error instanceof UnreadableTable) return null;
    throw error;
  }
}

/** A form about a table, checked: its sheet, or the answer if it cannot be used. */
export async function withSheet(request: DashboardRequest, use: (sheet: Sheet) => Promise<Reply>): Promise<Reply> {
  const {form} = request;
  const lines = (form.get('heading') ?? '') + (form.get('lines') ?? '');
  if (!hasToken(request)) return showMany(request, lines, staleForm(request));
  // A form that shows no preview was sent by no page of this version.
  if (!hasSheet(form)) return readMany(request);
  return orRefuse(request, async () => {
    const sheet = await sheetIn(request);
    return sheet === undefined ? refuse(request, lines, request.texts.many.none) : use(sheet);
  });
}
