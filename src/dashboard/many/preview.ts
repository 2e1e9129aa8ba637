import {randomBytes} from 'node:crypto';
import {domainField} from '../forms/create-form.ts';
import {noFailure} from '../forms/failures.ts';
import {check, field} from '../forms/field.ts';
import {inputOf} from '../forms/inputs.ts';
import {attributes, beginning, html, type Html} from '../html.ts';
import {actionForm, alert, backLink, notice} from '../parts/pieces.ts';
import {type DashboardRequest, linkIfOwn, type PageReply} from '../request.ts';
import {type Choice, choosable, isTwice} from './columns.ts';
import {mistakeIn} from './new-link.ts';
import {hasMore, wholeRows} from './portion.ts';
import {portionsForm, progressBar} from './progress.ts';
import {linkRow, type LinkRow} from './rows.ts';
import {hiddenOf, rowsOf, separators, type Sheet, type SeparatorName} from './sheet.ts';

/** How many rows are shown, and how many of those with mistakes. */
const maxShown = 10;
const maxMistakes = 20;

interface Shown {
  readonly above?: Html | undefined;
  /** How the file was read, from which the sheet is. */
  readonly encoding?: string | undefined;
  /** What the user has to decide before anything is made. */
  readonly error?: string | undefined;
}

/** What was read of a table: a menu of fields above each column, the first rows, and the rows with mistakes. */
export async function showPreview(
  request: DashboardRequest,
  sheet: Sheet,
  {above, encoding, error}: Shown = {},
): Promise<PageReply> {
  const {texts, formats} = request;
  const {many} = texts;
  const {rows, wrong, count, mistakes} = await overview(request, sheet);
  const isChange = await isAboutOwnLinks(request, rows);
  const fields = {once: request.form.get('once') ?? randomBytes(12).toString('base64url'), ...hiddenOf(sheet)};
  const baseUrls = await request.baseUrls();
  const create = html`<button class="links-button ${isChange && 'links-secondary'}">${many.submit}</button>`;
  const hasShortUrls = sheet.choices.includes('shortUrl');
  const change =
    hasShortUrls &&
    html`<button
      ${attributes({class: `links-button${isChange ? '' : ' links-secondary'}`, formaction: `${request.root}change-many`})}
    >
      ${many.change}
    </button>`;
  return {
    status: error === undefined ? 200 : 400,
    title: many.title,
    content: html`${backLink(request)}
      <h1>${many.title}</h1>
      ${
        error === undefined
          ? notice(html`<p>${formats.count(count, many.read)} ${hasMore(request) && many.left}</p>`)
          : alert(error)
      }
      ${above}
      <section class="links-card">
        ${actionForm(
          request,
          'create-many',
          fields,
          html`${columnsTable(request, sheet, rows)} ${wrong.length > 0 && mistakesList(request, wrong, mistakes)}
            <div class="links-row links-reading">
              ${check({name: 'has_heading', value: 'yes', checked: sheet.heading !== ''}, many.hasHeading)}
              <label class="links-check"
                >${many.separator}
                <select name="separator">
                  ${(Object.keys(separators) as SeparatorName[]).map((name) => option(name, many.separators[name], sheet.separator))}
                </select></label
              >
              <button
                ${attributes({class: 'links-button links-secondary links-small', formaction: `${request.root}read-many`})}
              >
                ${many.again}
              </button>
            </div>
            <div class="links-pair">
              ${domainField(request, {...noFailure, entered: {base_domain: request.form.get('base_domain') ?? ''}}, baseUrls)}
              ${field({
                name: 'tags',
                label: many.tags,
                hint: texts.fields.tagsHint,
                attributes: {...inputOf('tags').attributes, value: request.form.get('tags') ?? ''},
              })}
            </div>
            <datalist id="links-known-tags"></datalist>
            <p class="links-row">${isChange ? html`${change} ${create}` : html`${create} ${change}`}</p>
            ${progressBar(request)}`,
          {...portionsForm(request), 'data-encoding': encoding},
        )}
      </section>`,
  };
}

interface Overview {
  readonly rows: readonly LinkRow[];
  readonly wrong: ReadonlyArray<readonly [row: LinkRow, mistake: string]>;
  readonly count: number;
  readonly mistakes: number;
}

async function overview(request: DashboardRequest, sheet: Sheet): Promise<Overview> {
  const rows: LinkRow[] = [];
  const wrong: Array<readonly [LinkRow, string]> = [];
  let [count, mistakes] = [0, 0];
  for await (const each of rowsOf(request, wholeRows(request, sheet))) {
    const row = linkRow(request, sheet, each);
    count += 1;
    if (rows.length < maxShown) rows.push(row);
    const mistake = sheet.choices.includes('url') ? mistakeIn(request, row) : undefined;
    if (mistake === undefined) continue;
    mistakes += 1;
    if (wrong.length < maxMistakes) wrong.push([row, mistake]);
  }
  return {rows, wrong, count, mistakes};
}

/** Whether the first rows name links that the account has. */
async function isAboutOwnLinks(request: DashboardRequest, rows: readonly LinkRow[]): Promise<boolean> {
  for (const {shortUrl} of rows.slice(0, 3)) {
    if (shortUrl !== '' && (await linkIfOwn(request, shortUrl)) !== undefined) return true;
  }
  return false;
}

function columnsTable(request: DashboardRequest, {headings, choices}: Sheet, rows: readonly LinkRow[]): Html {
  const {many} = request.texts;
  const names = choices.map(
    (_, place) => beginning(headings[place]?.trim() ?? '', 60) || many.column(String(place + 1)),
  );
  return html`<div class="links-sheet" tabindex="0" role="region" aria-label="${many.title}">
    <table>
      <thead>
        <tr>
          <th scope="col">${many.line}</th>
          ${names.map(
            (name, place) =>
              html`<th scope="col">
                <bdi>${name}</bdi> <bdi class="links-sample">${sampleOf(choices[place] ?? '', rows, place)}</bdi>
                ${menu(request, place, name, choices[place] ?? '')} ${doubtOf(request, choices, place)}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({line, cells}) =>
            html`<tr>
              <td>${request.formats.number(line)}</td>
              ${choices.map((choice, place) => html`<td><bdi>${shownCell(choice, cells[place] ?? '')}</bdi></td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** The first value of a column, which stands for the rows where there is no room for them. */
function sampleOf(choice: Choice, rows: readonly LinkRow[], place: number): string {
  return shownCell(choice, rows.map(({cells}) => cells[place] ?? '').find((cell) => cell.trim() !== '') ?? '');
}

function shownCell(choice: Choice, cell: string): string {
  return choice === 'password' && cell !== '' ? '••••' : beginning(cell, 120);
}

function menu({texts}: DashboardRequest, place: number, name: string, chosen: Choice): Html {
  const {many} = texts;
  const isDoubtful = chosen === 'undecided';
  const own = {
    name: `column_${place}`,
    'aria-label': many.useAs(name),
    'aria-describedby': isDoubtful && `links-doubt-${place}`,
    'aria-invalid': isDoubtful && 'true',
  };
  return html`<select ${attributes(own)}>
    ${isDoubtful && option('undecided', many.choose, chosen)} ${option('', many.unused, chosen)}
    ${Array.from(choosable({texts}), ([field, label]) => option(field, label, chosen))}
  </select>`;
}

function option(value: string, text: string, chosen: string): Html {
  return html`<option ${attributes({value, selected: value === chosen})}>${text}</option>`;
}

/** Why the user has to look at a column. */
function doubtOf({texts: {many}}: DashboardRequest, choices: readonly Choice[], place: number): Html | undefined {
  if (choices[place] === 'undecided') return html`<p class="links-hint" id="links-doubt-${place}">${many.doubt}</p>`;
  return isTwice(choices, place) ? html`<p class="links-error">${many.twice}</p>` : undefined;
}

/** What keeps the columns from being used; undefined if nothing does. */
export function columnMistake(
  {texts: {many}}: DashboardRequest,
  {choices}: Sheet,
  isChange: boolean,
): string | undefined {
  if (!isChange && choices.includes('undecided')) return many.undecided;
  if (choices.some((_, place) => isTwice(choices, place))) return many.twice;
  if (isChange) return choices.includes('shortUrl') ? undefined : many.noShortUrl;
  return choices.includes('url') ? undefined : many.noUrl;
}

/** Rows that will be left out, the first of them with the reasons. */
function mistakesList({texts, formats}: DashboardRequest, wrong: Overview['wrong'], mistakes: number): Html {
  const {many} = texts;
  return html`<p class="links-error">${formats.count(mistakes, many.wrong)}</p>
    <ul class="links-plain-list">
      ${wrong.map(
        ([{line, cells}, mistake]) =>
          html`<li>
            ${many.line} ${formats.number(line)}:
            <bdi>${beginning(cells.find((cell) => cell.trim() !== '') ?? '', 60)}</bdi>
            <span class="links-error">${mistake}</span>
          </li>`,
      )}
    </ul>`;
}
