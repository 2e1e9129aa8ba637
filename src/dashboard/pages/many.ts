import {createHash, randomBytes} from 'node:crypto';
import {type DecodedFile, decodeFile} from '../../tools/tables/texts.ts';
import {UnreadableTable} from '../../tools/tables/unreadable.ts';
import type {Link, PageLanguage} from '../../index.ts';
import {withoutScheme} from '../addresses.ts';
import {domainField} from '../forms/create-form.ts';
import {type Failure, failureOf, noFailure, staleForm} from '../forms/failures.ts';
import {field} from '../forms/field.ts';
import {inputOf, tagsIn} from '../forms/inputs.ts';
import {type Entered, filled, toCreate, wrongInputs} from '../forms/link-fields.ts';
import {hasToken} from '../forms/protection.ts';
import {type LinkRow, type LinkTable, maxRows, readRows, type RowInput, textOfRows} from '../forms/rows.ts';
import {placesOf} from '../forms/rules.ts';
import {attributes, html, type Html} from '../html.ts';
import {actionForm, alert, backLink, copyButton, copyIcon, notice, table} from '../parts/pieces.ts';
import type {DashboardRequest, PageReply, Reply} from '../request.ts';
import {codesForm} from './qr-codes.ts';

interface RowResult {
  readonly row: LinkRow;
  readonly link?: Link | undefined;
  readonly error?: string | undefined;
}

/**
 * The page with a form that creates up to a hundred links.
 *
 * @param text the lines of the form
 * @param above what became of the lines or the file that were sent before
 */
export async function showMany(
  request: DashboardRequest,
  text = '',
  failure: Failure = noFailure,
  above?: Html,
): Promise<PageReply> {
  const {many} = request.texts;
  const baseUrls = await request.baseUrls();
  return {
    status: failure.status,
    title: many.title,
    content: html`${backLink(request)}
      <h1>${many.title}</h1>
      ${above} ${form(request, text, failure, baseUrls)}`,
  };
}

/** The fields of the form that are about all of its links. */
function ofAll({form}: DashboardRequest): Entered {
  return {base_domain: form.get('base_domain') ?? '', tags: form.get('tags') ?? ''};
}

/** The fields of a row, with those of all. */
function withAll({form}: DashboardRequest, {entered}: LinkRow): Entered {
  const tags = tagsIn(`${entered.tags ?? ''},${form.get('tags') ?? ''}`).join(', ');
  return {...entered, tags, base_domain: filled(entered.base_domain) ?? form.get('base_domain') ?? ''};
}

/** The form after some lines had mistakes has those lines only. */
function showResults(request: DashboardRequest, results: readonly RowResult[]): Promise<PageReply> {
  const rest = results.filter(({link}) => link === undefined).map(({row}) => row);
  const entered = rest.length > 0 ? ofAll(request) : {};
  return showMany(request, textOfRows(rest), {...noFailure, entered}, outcome(request, results));
}

/** What was understood of a file. Nothing is made before the user has seen it: the lines are in the form. */
function showFile(
  request: DashboardRequest,
  {rows, filled: names, ignored}: LinkTable,
  encoding: string,
): Promise<PageReply> {
  const {texts, formats} = request;
  const {many} = texts;
  const isGuessed = !encoding.startsWith('utf');
  const preview = html`${notice(html`<p>${formats.count(rows.length, many.read)}</p>`)}
    ${isGuessed && alert(many.encoding(encoding))} ${ignored.length > 0 && alert(many.ignored(ignored.join(', ')))}
    <div class="links-list">
      ${table(
        {'aria-label': many.title},
        [many.line, ...names.map((name) => labelOf(request, name))],
        rows.map(
          (row) =>
            html`<tr role="row">
              <td role="cell" data-label="${many.line}">${formats.number(row.line)}</td>
              ${names.map((name) => {
                const text = name === 'password' && filled(row.entered.password) ? '••••' : (row.entered[name] ?? '');
                return html`<td role="cell" class="links-addresses" data-label="${labelOf(request, name)}">
                  <bdi>${text.slice(0, 300)}</bdi>${name === 'url' && mistake(request, row)}
                </td>`;
              })}
            </tr>`,
        ),
      )}
    </div>`;
  return showMany(request, textOfRows(rows), {...noFailure, entered: ofAll(request)}, preview);
}

function mistake(request: DashboardRequest, row: LinkRow): Html | false {
  const text = mistakeIn(request, row);
  return text !== undefined && html`<p class="links-error">${text}</p>`;
}

/** What is wrong with a row before the shortener is asked. */
function mistakeIn(request: DashboardRequest, row: LinkRow): string | undefined {
  const {texts} = request;
  const entered = withAll(request, row);
  if (row.isProtected) return texts.many.isProtected;
  if (!filled(entered.url)) return texts.errors.missing_url;
  const [wrong] = wrongInputs(entered);
  return wrong && inputOf(wrong).mistake(texts);
}

function labelOf({texts}: DashboardRequest, name: RowInput): string {
  const {fields} = texts;
  if (name === 'url' || name === 'password') return fields[name];
  if (name === 'custom_url') return fields.shortPart;
  return name === 'base_domain' ? fields.domain : inputOf(name).label(texts);
}

function form(request: DashboardRequest, text: string, failure: Failure, baseUrls: readonly string[]): Html {
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
          hint: many.linesHint(maxRows),
          text,
          attributes: {rows: 8, autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', wrap: 'off'},
        })}
        ${domainField(request, failure, baseUrls)}
        ${field({
          name: 'tags',
          label: many.tags,
          hint: request.texts.fields.tagsHint,
          attributes: {...inputOf('tags').attributes, value: failure.entered.tags ?? ''},
        })}
        <datalist id="links-known-tags"></datalist>
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
    ${
      made.length > 1 &&
      html`<div class="links-row">
        ${copyButton(request, {'data-copy': made.join('\n')}, many.copyAll)}
        <details class="links-more">
          <summary>${texts.selection.qrCodes}</summary>
          ${codesForm(request, made)}
        </details>
      </div>`
    }
    <div class="links-list">
      ${table(
        {'aria-label': many.title},
        [many.line, fields.url, fields.shortUrl],
        results.map(
          ({row, link, error}) =>
            html`<tr role="row">
              <td role="cell" data-label="${many.line}">${formats.number(row.line)}</td>
              <td role="cell" class="links-addresses">
                <span class="links-long"><bdi>${row.entered.url?.slice(0, 300)}</bdi></span>
              </td>
              <td role="cell" class="links-made">
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

/** Creates a link for each line of a text, or shows what was understood of a file. */
export async function createMany(request: DashboardRequest): Promise<Reply> {
  const {texts, form, file} = request;
  const lines = form.get('lines') ?? '';
  const entered = ofAll(request);
  const refuse = (error: string): Promise<Reply> =>
    showMany(request, lines, {status: 400, entered, errors: {form: error}});
  if (!hasToken(request)) return showMany(request, lines, staleForm(request, entered));
  const decoded = file === undefined || file.length === 0 ? undefined : decode(request, file);
  if (decoded === null) return refuse(texts.many.packed);
  const read = await readRows(decoded?.text ?? lines, decoded !== undefined);
  if (read === undefined) return refuse(texts.many.unreadable);
  if (read.rows.length === 0) return refuse(texts.many.none);
  if (read.rows.length > maxRows) return refuse(texts.many.tooMany(maxRows));
  return decoded === undefined
    ? showResults(request, await createAll(request, read.rows))
    : showFile(request, read, decoded.encoding);
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

async function createAll(request: DashboardRequest, rows: readonly LinkRow[]): Promise<RowResult[]> {
  const {shortener, account, form, language} = request;
  const results: RowResult[] = rows.map((row) => ({row, error: mistakeIn(request, row)}));
  const sent = Array.from(results.entries()).filter(([, {error}]) => error === undefined);
  const links = sent.map(([, {row}]) => toCreate(withAll(request, row), placesOf(language)));
  if (links.length === 0) return results;
  // Lines that were changed after the browser went back are another call.
  const call = JSON.stringify([form.get('once'), links]);
  const idempotencyKey = createHash('sha256').update(call).digest('base64url');
  let done = 0;
  for await (const {link, error} of shortener.links.createMany(account, links, {idempotencyKey})) {
    const [index, result] = sent[done] ?? [];
    if (index === undefined || result === undefined) break;
    results[index] = {...result, link, error: error && messageOf(request, error, result.row)};
    done += 1;
  }
  return results;
}

/** @throws the error itself if it is not a mistake of the user */
function messageOf(request: DashboardRequest, error: unknown, {entered}: LinkRow): string | undefined {
  const failure: Failure = failureOf(request, error, entered);
  return Object.values(failure.errors)[0];
}
