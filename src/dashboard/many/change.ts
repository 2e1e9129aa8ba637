import type {Link, LinkChange, StatusChange, UpdateLink} from '../../index.ts';
import {withoutScheme} from '../addresses.ts';
import {type CampaignName, campaignNames} from '../forms/campaign.ts';
import {type InputName, inputNames, inputOf, mistakeOf} from '../forms/inputs.ts';
import {type Entered, fieldsOf, toUpdate, wrongInputs} from '../forms/link-fields.ts';
import {placesOf} from '../forms/rules.ts';
import {beginning, html, type Html} from '../html.ts';
import {actionForm, alert, backLink, notice} from '../parts/pieces.ts';
import {listTable} from '../parts/tables.ts';
import {type DashboardRequest, inBatches, linkIfOwn, type PageReply, type Reply} from '../request.ts';
import {noteAnswers} from './create.ts';
import {hasMore, nextPortion, type RowResult} from './portion.ts';
import type {Texts} from '../texts/en.ts';
import {columnMistake, showPreview} from './preview.ts';
import {portionsForm, progressBar} from './progress.ts';
import {withSheet} from './read.ts';
import {showResults} from './results.ts';
import type {LinkRow} from './rows.ts';
import {chosenOf, hiddenOf, type Sheet} from './sheet.ts';

/** How many changes are shown before they are made. */
const maxShown = 50;

/** What a row changes. */
interface Plan {
  readonly row: LinkRow;
  readonly link?: Link;
  readonly update: UpdateLink;
  readonly status?: StatusChange['status'] | undefined;
  /** For the user: the name of each field, with its old and its new text. */
  readonly shown: ReadonlyArray<readonly [name: string, before: string, after: string]>;
  readonly error?: string | undefined;
}

/** Changes the links that the next rows of a table name, or shows first what would change. */
export function changeMany(request: DashboardRequest): Promise<Reply> {
  return withSheet(request, async (sheet) => {
    const error = columnMistake(request, sheet, true);
    if (error !== undefined) return showPreview(request, sheet, {error});
    const {rows, rest} = await nextPortion(request, sheet);
    const plans = await inBatches(rows, (row) => planOf(request, row));
    if (request.form.get('confirmed') !== 'yes')
      return showChanges(request, sheet, plans, rest.text.trim() !== '' || hasMore(request));
    const results = await changeAll(request, plans);
    return showResults(request, {results, rest, action: 'change-many', done: request.texts.many.changed});
  });
}

async function planOf(request: DashboardRequest, row: LinkRow): Promise<Plan> {
  const {texts, formats, language} = request;
  const nothing = {row, update: {}, shown: []};
  if (row.mistake !== undefined) return {...nothing, error: row.mistake};
  const link = await linkIfOwn(request, row.shortUrl);
  if (link === undefined) return {...nothing, error: texts.errors.codes.unknown_short_url};
  const places = placesOf(language);
  const loaded = fieldsOf(link, formats, places);
  const entered = enteredFor(row);
  const [wrong] = wrongInputs(entered);
  if (wrong !== undefined) return {...nothing, link, error: mistakeOf(wrong, texts)};
  const update = toUpdate(entered, {texts: loaded, rules: ''}, places, false);
  const status = statusFor(row, link);
  const names = (['url', ...inputNames, ...campaignNames] as const).filter((name) => name in entered);
  const shown = names.flatMap((name) => {
    const [before = '', after = ''] = [loaded[name], entered[name]];
    return before === after ? [] : [[nameOf(texts, name), before, after] as const];
  });
  return {
    row,
    link,
    update,
    status,
    shown: [
      ...(Object.keys(update).length > 0 ? shown : []),
      ...(update.password ? [[texts.fields.password, link.hasPassword ? '••••' : '', '••••'] as const] : []),
      ...(status
        ? [[texts.list.status, texts.statuses[link.status], texts.statuses[status as 'active']] as const]
        : []),
    ],
  };
}

function nameOf(texts: Texts, name: 'url' | InputName | CampaignName): string {
  if (name === 'url') return texts.fields.url;
  const part = campaignNames.find((each) => each === name);
  return part === undefined ? inputOf(name as InputName).label(texts) : texts.campaign[part];
}

/** The fields that a row changes. An empty cell changes nothing, and the short part cannot change. */
function enteredFor({entered}: LinkRow): Entered {
  return Object.fromEntries(
    Object.entries(entered).filter(([name, text]) => text !== '' && name !== 'custom_url' && name !== 'base_domain'),
  );
}

/** The new status of a link; undefined if it stays. Only a link that is disabled can be enabled. */
function statusFor({status}: LinkRow, link: Link): StatusChange['status'] | undefined {
  const isDisabled = link.status === 'disabled';
  if (status === 'disabled' && !isDisabled) return status;
  return status === 'active' && isDisabled && !link.isBlocked ? status : undefined;
}

function showChanges(request: DashboardRequest, sheet: Sheet, plans: readonly Plan[], isPart: boolean): PageReply {
  const {texts, formats, form} = request;
  const {many} = texts;
  const changed = plans.filter(({shown}) => shown.length > 0);
  const wrong = plans.filter(({error}) => error !== undefined);
  const once = form.get('once') ?? '';
  return {
    title: many.change,
    content: html`${backLink(request)}
      <h1>${many.changeTitle}</h1>
      ${notice(html`<p>${formats.count(changed.length, many.changes)} ${isPart && many.left}</p>`)}
      ${wrong.length > 0 && alert(formats.count(wrong.length, many.wrong))}
      <section class="links-card">
        <p>${many.changeHint}</p>
        ${actionForm(
          request,
          'change-many',
          {...chosenOf(sheet), ...hiddenOf(sheet), once, confirmed: 'yes'},
          html`<p class="links-row"><button class="links-button">${texts.edit.submit}</button></p>
            ${progressBar(request)}`,
          portionsForm(request),
        )}
      </section>
      ${changesTable(request, [...wrong, ...changed].slice(0, maxShown))}`,
  };
}

function changesTable(request: DashboardRequest, plans: readonly Plan[]): Html {
  const {texts, formats} = request;
  const {many} = texts;
  return html`<div class="links-list">
    ${listTable(
      {'aria-label': many.changeTitle},
      [
        {name: many.line, cell: ({row}) => formats.number(row.line)},
        {
          name: html`${texts.fields.shortUrl}`,
          className: 'links-made',
          cell: ({row, link}) => html`<bdi>${withoutScheme(link?.shortUrl ?? beginning(row.shortUrl, 300))}</bdi>`,
        },
        {
          name: html`${many.changeTitle}`,
          cell: ({shown, error}) =>
            html`${error !== undefined && html`<p class="links-error">${error}</p>`}
            ${shown.map(
              ([name, before, after]) =>
                html`<p class="links-change">
                  ${name}: ${before !== '' && html`<del><bdi>${beginning(before, 120)}</bdi></del>`}
                  <ins><bdi>${beginning(after, 120)}</bdi></ins>
                </p>`,
            )}`,
        },
      ],
      plans,
    )}
  </div>`;
}

async function changeAll(request: DashboardRequest, plans: readonly Plan[]): Promise<RowResult[]> {
  const {shortener, account} = request;
  const sent: Array<{readonly result: RowResult; readonly change: LinkChange}> = [];
  const results = plans.map(({row, link, update, status, error}): RowResult => {
    const result: RowResult = {row, shortUrl: link?.shortUrl, isDone: false, error};
    if (link === undefined || error !== undefined) return result;
    const {shortUrl} = link;
    if (Object.keys(update).length > 0) sent.push({result, change: {shortUrl, changes: update}});
    if (status !== undefined) sent.push({result, change: {shortUrl, changes: {status}}});
    return result;
  });
  const changes = sent.map(({change}) => change);
  const changed = sent.map(({result}) => result);
  await noteAnswers(request, changed, shortener.links.updateMany(account, changes));
  return results;
}
