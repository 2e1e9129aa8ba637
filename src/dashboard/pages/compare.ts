import {linkAddress, withoutScheme, withQuery} from '../addresses.ts';
import {attributes, html, type Html} from '../html.ts';
import {emptyState} from '../parts/pieces.ts';
import type {DashboardRequest, Handler} from '../request.ts';
import {shareBar} from '../visits/chart.ts';
import {periodOf, spanIn} from '../visits/span.ts';
import {spanChooser} from '../visits/span-chooser.ts';

/** The maximum number of tags that the page shows. */
const maxTags = 100;

/**
 * The most visited links and the tags of a span. Each view reads the newest 10,000 links, so it is a page that loads only on
 * request.
 */
export const comparePage: Handler = async (request) => {
  const {texts, formats, shortener, account, root, query, today} = request;
  const {compare: words} = texts;
  const span = spanIn(query, today);
  const {links, isComplete, mostVisited, tags} = await shortener.links.compare(account, span.query);
  const period = periodOf(request, span);
  return {
    status: span.isRefused ? 400 : undefined,
    title: words.title,
    content: html`<p class="links-back"><a href="${root}#links-list">← ${texts.link.back}</a></p>
      <h1>${words.title}</h1>
      <section class="links-card" id="links-visits" aria-labelledby="links-most-title">
        ${spanChooser(request, span, {path: 'compare', parameters: {}})}
        ${!isComplete && html`<p>${words.newest(formats.number(links))}</p>`}
        <h2 id="links-most-title">${words.most}</h2>
        ${
          mostVisited.length === 0
            ? emptyState(texts.visits.none(period), texts.visits.noneHint)
            : numbers(
                request,
                [texts.list.link],
                mostVisited.map(({link, ...each}) => {
                  const name = html`<a href="${linkAddress(root, link.shortUrl)}"
                      ><bdi>${link.title ?? withoutScheme(link.shortUrl)}</bdi></a
                    >
                    ${link.title !== null && html`<span class="links-quiet">${withoutScheme(link.shortUrl)}</span>`}`;
                  return {...each, name};
                }),
              )
        }
      </section>
      ${
        tags.length > 0 &&
        html`<section class="links-card" aria-labelledby="links-tags-title">
          <h2 id="links-tags-title">${words.tags}</h2>
          <p class="links-hint">${words.several}</p>
          ${numbers(
            request,
            [words.tags, texts.home.links],
            tags.slice(0, maxTags).map(({tag, ...each}) => ({
              ...each,
              name: html`<a href="${withQuery(root, {tag})}#links-list"><bdi>${tag}</bdi></a>`,
            })),
          )}
        </section>`
      }`,
  };
};

interface Numbers {
  readonly name: Html;
  readonly links?: number;
  readonly visits: number;
  readonly conversions: number;
}

/** Rows with bars for the visits. */
function numbers(
  {texts, formats, hasConversions}: DashboardRequest,
  names: readonly string[],
  rows: readonly Numbers[],
): Html {
  const {title, rate} = texts.conversions;
  const most = Math.max(1, ...rows.map(({visits}) => visits));
  const cell = (text: string): Html => html`<td class="links-number">${text}</td>`;
  return html`<table class="links-values links-compared">
    <thead>
      <tr>
        ${[...names, texts.visits.title, ...(hasConversions ? [title, rate] : [])].map(
          (name, index) => html`<th scope="col" ${attributes({class: index > 0 && 'links-number'})}>${name}</th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ({name, links, visits, conversions}) =>
          html`<tr>
            <th scope="row">${name} ${shareBar(visits / most)}</th>
            ${links !== undefined && cell(formats.number(links))} ${cell(formats.number(visits))}
            ${hasConversions && [cell(formats.number(conversions)), cell(formats.rate(conversions, visits))]}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
