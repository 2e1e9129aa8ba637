import type {LinkChange} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {failureOf, staleForm} from '../forms/failures.ts';
import {maxPart} from '../forms/campaign.ts';
import {tagsIn} from '../forms/inputs.ts';
import {confirmation, hasToken} from '../forms/protection.ts';
import {html} from '../html.ts';
import {viewIn, viewOf} from '../list/search.ts';
import {type FailedLink, selectedIn, type SelectionOperation, selectionOperations} from '../list/selection.ts';
import {showHome} from './home.ts';
import {actionForm} from '../parts/pieces.ts';
import {showCodes} from './qr-codes.ts';
import type {DashboardRequest, PageReply, Reply} from '../request.ts';

/** Asks whether the selected links should be removed. */
function showRemoval(request: DashboardRequest, shortUrls: readonly string[]): PageReply {
  const {texts, formats, root, query} = request;
  const {removal, selection} = texts;
  const title = formats.count(shortUrls.length, selection.removal);
  const view = viewOf(query);
  const fields = shortUrls.map((shortUrl, index) => [`selected_${index}`, shortUrl] as const);
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
        <p>${removal.many}</p>
        ${actionForm(request, `selection${view}`, {...Object.fromEntries(fields), do: 'remove', confirmed: 'yes'}, buttons)}
      </section>`,
  };
}

/** Changes the selected links of the list. A removal asks for confirmation on a separate page. */
export async function changeSelection(request: DashboardRequest): Promise<Reply> {
  const {texts, formats, form, token, root, query} = request;
  const shortUrls = selectedIn(form);
  const tag = (form.get('tag') ?? '').trim();
  const campaign = (form.get('campaign') ?? '').trim();
  const again = (status: number, error: string, failed: readonly FailedLink[] = []): Promise<Reply> =>
    showHome(request, {
      selection: {
        status,
        shortUrls: failed.length > 0 ? failed.map(({shortUrl}) => shortUrl) : shortUrls,
        tag,
        campaign,
        error,
        failed,
      },
    });
  const stale = hasToken(request) ? undefined : staleForm(request);
  if (stale !== undefined) return again(stale.status, stale.errors.form ?? '');
  const operation = selectionOperations.find((each) => each === form.get('do')) ?? 'tag';
  if (shortUrls.length === 0) return again(400, texts.selection.none);
  if (form.get('do') === 'qr') return showCodes(request, shortUrls);
  if (isAboutTag(operation) && !isTag(tag)) return again(400, texts.selection.noTag);
  if (operation === 'campaign' && (campaign === '' || Array.from(campaign).length > maxPart)) {
    return again(400, texts.selection.noCampaign);
  }
  if (operation === 'remove' && form.get('confirmed') !== 'yes') return showRemoval(request, shortUrls);

  const failed = await changeLinks(request, shortUrls, operation, operation === 'campaign' ? campaign : tag);
  if (failed.length > 0) {
    const changed = shortUrls.length - failed.length;
    const summary = texts.selection.failed(formats.number(failed.length), formats.number(shortUrls.length));
    return again(changed > 0 ? 200 : (failed[0]?.status ?? 400), summary, failed);
  }
  const done = confirmation(token, `selection-${operation}`, '', String(shortUrls.length));
  return {location: `${withQuery(root, {...viewIn(query), ...done})}#links-list`};
}

function isAboutTag(operation: SelectionOperation): operation is 'tag' | 'untag' {
  return operation === 'tag' || operation === 'untag';
}

function isTag(text: string): boolean {
  return tagsIn(text).length === 1 && Array.from(text).length <= 50;
}

/** What the operations change that need no tag. */
const changesOf = {
  ask: {confirm: true},
  unask: {confirm: false},
  disable: {status: 'disabled'},
  enable: {status: 'active'},
  remove: {status: 'removed'},
} as const;

/** Changes the links, and returns the ones that could not be changed. */
async function changeLinks(
  request: DashboardRequest,
  shortUrls: readonly string[],
  operation: SelectionOperation,
  text: string,
): Promise<FailedLink[]> {
  const {shortener, account} = request;
  const failed: FailedLink[] = [];
  const fail = (shortUrl: string, error: unknown): void => {
    const {status, errors} = failureOf(request, error);
    const isAboutTags = (error as {code?: string}).code === 'malformed_parameter';
    failed.push({shortUrl, status, text: (isAboutTags ? request.texts.errors.tags : errors.form) ?? ''});
  };
  const changeOf = async (shortUrl: string): Promise<LinkChange['changes']> => {
    if (operation === 'tag') return {addTags: [text]};
    if (operation === 'untag') return {removeTags: [text]};
    if (operation !== 'campaign') return changesOf[operation];
    // The other parts of the campaign stay. An unknown link is refused below.
    const link = await shortener.links.info(account, shortUrl).catch(() => undefined);
    return {utm: {...link?.utm, campaign: text}};
  };
  const changes = await Promise.all(
    shortUrls.map(async (shortUrl): Promise<LinkChange> => ({shortUrl, changes: await changeOf(shortUrl)})),
  );
  let index = 0;
  for await (const {error} of shortener.links.updateMany(account, changes)) {
    const change = changes[index++];
    if (change !== undefined && error !== undefined) fail(change.shortUrl, error);
  }
  return failed;
}
