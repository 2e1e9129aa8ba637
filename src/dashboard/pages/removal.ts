import {withoutScheme} from '../addresses.ts';
import {html} from '../html.ts';
import {viewOf} from '../list/search.ts';
import {actionForm} from '../parts/pieces.ts';
import type {DashboardRequest, PageReply} from '../request.ts';

/** Asks whether the selected links should be removed. */
export function showRemoval(request: DashboardRequest, shortUrls: readonly string[]): PageReply {
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
