import type {LinkChange} from '../../index.ts';
import {withoutScheme} from '../addresses.ts';
import {field, maxLength, plainText} from '../forms/field.ts';
import {limits} from '../generated/limits.ts';
import {beginning, html, type Html} from '../html.ts';
import {viewOf} from '../list/search.ts';
import {actionForm, note} from '../parts/pieces.ts';
import {type DashboardRequest, inBatches, linkIfOwn, type PageReply} from '../request.ts';

/** What a form gives many links. An empty text leaves the field of each as it is. */
interface Given {
  readonly find: string;
  readonly replace: string;
  readonly start_date: string;
  readonly expiry_date: string;
}

/** A link whose destination changes. */
interface Destination {
  readonly shortUrl: string;
  readonly before: string;
  readonly after: string;
}

interface FieldChanges {
  readonly changes: readonly LinkChange[];
  /** Asks what to change, and shows it before it is done. */
  readonly page: PageReply;
}

/** The fields of a form that name the selection again: its links, or how many match. */
export function selectionFields(
  {form}: DashboardRequest,
  shortUrls: readonly string[],
): Readonly<Record<string, string>> {
  if (form.get('all') === 'yes') return {all: 'yes', count: String(shortUrls.length)};
  return Object.fromEntries(shortUrls.map((shortUrl, index) => [`selected_${index}`, shortUrl]));
}

/** What the form changes in the fields of the selected links, and its page. */
export async function readFieldChanges(request: DashboardRequest, shortUrls: readonly string[]): Promise<FieldChanges> {
  const {form} = request;
  const text = (name: keyof Given): string => form.get(name) ?? '';
  const given = {
    find: text('find'),
    replace: text('replace'),
    start_date: text('start_date'),
    expiry_date: text('expiry_date'),
  };
  const destinations = given.find === '' ? [] : await readDestinations(request, shortUrls, given);
  const urls = new Map(destinations.map(({shortUrl, after}) => [shortUrl, after]));
  const dates = {
    ...(given.start_date !== '' && {startDate: given.start_date}),
    ...(given.expiry_date !== '' && {expiryDate: given.expiry_date}),
  };
  const hasDates = Object.keys(dates).length > 0;
  const changes = shortUrls.flatMap((shortUrl): LinkChange[] => {
    const url = urls.get(shortUrl);
    return url === undefined && !hasDates ? [] : [{shortUrl, changes: {...dates, ...(url !== undefined && {url})}}];
  });
  return {changes, page: fieldsPage(request, shortUrls, given, {changes: changes.length, destinations})};
}

async function readDestinations(
  request: DashboardRequest,
  shortUrls: readonly string[],
  {find, replace}: Given,
): Promise<Destination[]> {
  const links = await inBatches(shortUrls, (shortUrl) => linkIfOwn(request, shortUrl));
  return links.flatMap((link) => {
    if (link === undefined) return [];
    const {shortUrl, originalUrl: before} = link;
    const after = before.split(find).join(replace);
    return after === before ? [] : [{shortUrl, before, after}];
  });
}

function fieldsPage(
  request: DashboardRequest,
  shortUrls: readonly string[],
  given: Given,
  {changes, destinations}: {readonly changes: number; readonly destinations: readonly Destination[]},
): PageReply {
  const {texts, formats, root, query, form} = request;
  const {selection: words, fields} = texts;
  const view = viewOf(query);
  const hidden = {...selectionFields(request, shortUrls), do: 'change'};
  const title = formats.count(shortUrls.length, words.changing);
  const isPreview = form.get('step') === 'preview' || form.get('confirmed') === 'yes';
  const isShown = isPreview && changes > 0;
  const urlText = {...plainText, maxlength: maxLength(limits.url)};
  const inputs = html`<p class="links-hint">${words.changeHint}</p>
    ${field({name: 'find', label: words.find, attributes: {...urlText, value: given.find}})}
    ${field({name: 'replace', label: words.replace, attributes: {...urlText, value: given.replace}})}
    <div class="links-pair">
      ${field({name: 'start_date', label: fields.startDate, attributes: {type: 'date', value: given.start_date}})}
      ${field({name: 'expiry_date', label: fields.expiryDate, attributes: {type: 'date', value: given.expiry_date}})}
    </div>
    <p class="links-row">
      <button class="links-button ${isShown && 'links-secondary'}" name="step" value="preview">${words.preview}</button>
      <a href="${root}${view}#links-list">${words.cancel}</a>
    </p>`;
  const confirmation = html`<button class="links-button">${formats.count(changes, words.changing)}</button>`;
  return {
    title,
    content: html`<h1>${title}</h1>
      <section class="links-card">${actionForm(request, `selection${view}`, hidden, inputs)}</section>
      ${isPreview && changes === 0 && note(words.nothing)}
      ${
        isShown &&
        html`<section class="links-card" id="links-preview">
          ${destinations.length > 0 && preview(destinations)}
          ${actionForm(request, `selection${view}`, {...hidden, ...given, confirmed: 'yes'}, confirmation)}
        </section>`
      }`,
  };
}

/** The destinations before and after. */
function preview(destinations: readonly Destination[]): Html {
  return html`<ul class="links-plain-list">
    ${destinations.map(
      ({shortUrl, before, after}) =>
        html`<li>
          <bdi class="links-strong">${withoutScheme(shortUrl)}</bdi><br />
          <del class="links-long"><bdi>${beginning(before, 300)}</bdi></del>
          <ins class="links-long"><bdi>${beginning(after, 300)}</bdi></ins>
        </li>`,
    )}
  </ul>`;
}
