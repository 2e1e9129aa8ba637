import {isWithin} from '../../values/characters.ts';
import {limits} from '../generated/limits.ts';
import type {LinkChange} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {failureOf, staleForm} from '../forms/failures.ts';
import {maxPart} from '../forms/campaign.ts';
import {tagsIn} from '../forms/inputs.ts';
import type {Fields} from '../../http/koa/form-body.ts';
import {confirmation, hasToken} from '../forms/protection.ts';
import {html} from '../html.ts';
import {conditionsIn, filterIn, viewIn, viewOf} from '../list/search.ts';
import {type FailedLink, selectedIn, type SelectionOperation, selectionOperations} from '../list/selection.ts';
import {showHome} from './home.ts';
import {actionForm} from '../parts/pieces.ts';
import {showCodes} from './qr-codes.ts';
import {type DashboardRequest, inBatches, linkIfOwn, type PageReply, type Reply} from '../request.ts';
import {readFieldChanges, selectionFields} from './selection-fields.ts';

/** The maximum number of links that are changed at once, because all that match were selected. */
const maxMatching = 1000;

/** The links that a form has selected: some of a page, or all that match. Undefined if more match than can be changed. */
async function readSelected({shortener, account, form, query}: DashboardRequest): Promise<string[] | undefined> {
  if (form.get('all') !== 'yes') return selectedIn(form);
  const shortUrls: string[] = [];
  for await (const {shortUrl} of shortener.links.list(account, conditionsIn(filterIn(query)))) {
    if (shortUrls.push(shortUrl) > maxMatching) return undefined;
  }
  return shortUrls;
}

/** Asks whether the selected links should be removed. */
function showRemoval(request: DashboardRequest, shortUrls: readonly string[]): PageReply {
  const {texts, formats, root, query} = request;
  const {removal, selection} = texts;
  const title = formats.count(shortUrls.length, selection.removal);
  const view = viewOf(query);
  const buttons = html`<p class="links-row">
    <button class="links-button links-danger">${formats.count(shortUrls.length, selection.confirm)}</button>
    <a class="links-button links-secondary" href="${root}${view}#links-list">${selection.cancel}</a>
  </p>`;
  return {
    title,
    content: html`<h1>${title}</h1>
      <section class="links-card">
        <ul class="links-plain-list">
          ${shortUrls.map((shortUrl) => html`<li><bdi>${withoutScheme(shortUrl)}</bdi></li>`)}
        </ul>
        <p>${removal.text}</p>
        ${actionForm(request, `selection${view}`, {...selectionFields(request, shortUrls), do: 'remove', confirmed: 'yes'}, buttons)}
      </section>`,
  };
}

/** Changes the selected links of the list. A removal, and other values of fields, are shown before they are done. */
export async function changeSelection(request: DashboardRequest): Promise<Reply> {
  const {texts, form} = request;
  const stale = hasToken(request) ? undefined : staleForm(request);
  if (stale !== undefined) return showAgain(request, selectedIn(form), stale.status, stale.errors.form ?? '');
  const [tag, campaign] = [textIn(form, 'tag'), textIn(form, 'campaign')];
  const shortUrls = await readSelected(request);
  if (shortUrls === undefined) return showAgain(request, [], 400, texts.selection.tooMany);
  if (shortUrls.length === 0) return showAgain(request, [], 400, texts.selection.none);
  // Of all that match there may be others since they were shown.
  const isConfirmed =
    form.get('confirmed') === 'yes' && Number(form.get('count') ?? shortUrls.length) === shortUrls.length;
  if (form.get('do') === 'qr') return showCodes(request, shortUrls);
  if (form.get('do') === 'change') {
    const {changes, page} = await readFieldChanges(request, shortUrls);
    return isConfirmed && changes.length > 0 ? changeLinks(request, 'change', changes) : page;
  }
  const asked = selectionOperations.find((each) => each === form.get('do')) ?? 'tag';
  // Enter in any field presses the first button.
  const operation = asked === 'tag' && tag === '' && campaign !== '' ? 'campaign' : asked;
  if (isAboutTag(operation) && !isTag(tag)) return showAgain(request, shortUrls, 400, texts.selection.noTag);
  if (operation === 'campaign') {
    const isWrong = campaign === '' || Array.from(campaign).length > maxPart;
    const error = `${texts.campaign.utm_campaign}: ${texts.errors.characters(maxPart)}`;
    if (isWrong) return showAgain(request, shortUrls, 400, error);
    return changeLinks(request, operation, await campaignChanges(request, shortUrls, campaign));
  }
  if (operation === 'remove' && !isConfirmed) return showRemoval(request, shortUrls);
  const changed = {...changesOf, tag: {addTags: [tag]}, untag: {removeTags: [tag]}}[operation];
  return changeLinks(
    request,
    operation,
    shortUrls.map((shortUrl) => ({shortUrl, changes: changed})),
  );
}

/** The list again, with the error and the links that stay selected. */
function showAgain(
  request: DashboardRequest,
  shortUrls: readonly string[],
  status: number,
  error: string,
  failed: readonly FailedLink[] = [],
): Promise<Reply> {
  const [tag, campaign] = [textIn(request.form, 'tag'), textIn(request.form, 'campaign')];
  return showHome(request, {selection: {status, shortUrls, tag, campaign, error, failed}});
}

function textIn(form: Fields, name: string): string {
  return (form.get(name) ?? '').trim();
}

/** The other parts of the campaign of each link stay. */
async function campaignChanges(
  request: DashboardRequest,
  shortUrls: readonly string[],
  campaign: string,
): Promise<LinkChange[]> {
  return inBatches(shortUrls, async (shortUrl) => {
    // One that is removed meanwhile is refused when it is changed.
    const link = await linkIfOwn(request, shortUrl);
    return {shortUrl, changes: {utm: {...link?.utm, campaign}}};
  });
}

function isAboutTag(operation: SelectionOperation): operation is 'tag' | 'untag' {
  return operation === 'tag' || operation === 'untag';
}

function isTag(text: string): boolean {
  return tagsIn(text).length === 1 && isWithin(text, limits.tag);
}

/** What the operations change that need no tag. */
const changesOf = {
  ask: {confirm: true},
  unask: {confirm: false},
  disable: {status: 'disabled'},
  enable: {status: 'active'},
  remove: {status: 'removed'},
} as const;

/** Changes the links, and shows the list, with those that could not be changed. */
async function changeLinks(
  request: DashboardRequest,
  operation: SelectionOperation | 'change',
  changes: readonly LinkChange[],
): Promise<Reply> {
  const {texts, formats, shortener, account, token, root, query} = request;
  const failed: FailedLink[] = [];
  let index = 0;
  for await (const {error} of shortener.links.updateMany(account, changes)) {
    const change = changes[index++];
    if (change === undefined || error === undefined) continue;
    const {status, errors} = failureOf(request, error);
    const isAboutTags = operation !== 'change' && error.code === 'malformed_parameter';
    const [text = ''] = isAboutTags ? [texts.errors.tags] : Object.values(errors);
    failed.push({shortUrl: change.shortUrl, status, text});
  }
  if (failed.length > 0) {
    const status = failed.length < changes.length ? 200 : (failed[0]?.status ?? 400);
    const summary = texts.selection.failed(formats.number(failed.length), formats.number(changes.length));
    const shortUrls = failed.map(({shortUrl}) => shortUrl);
    return showAgain(request, shortUrls, status, summary, failed);
  }
  const done = confirmation(token, `selection-${operation}`, '', String(changes.length));
  return {location: `${withQuery(root, {...viewIn(query), ...done})}#links-list`};
}
