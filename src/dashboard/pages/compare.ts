import type {ConversionValue} from '../../index.ts';
import {linkAddress, withoutScheme, withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import {backLink, card, emptyState, numberTable} from '../parts/pieces.ts';
import type {DashboardRequest, Handler} from '../request.ts';
import {amounts} from '../visits/conversions.ts';
import {shareBar} from '../visits/chart.ts';
import {periodOf, spanIn, spanParameters} from '../visits/span.ts';
import {spanChooser} from '../visits/span-chooser.ts';

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
    content: html`${backLink(request)}
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
                  const name = html`<a href="${linkAddress(root, link.shortUrl, spanParameters(span))}"
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
        card(
          'tags',
          words.tags,
          html`<p class="links-hint">${words.several}</p>
            ${numbers(
              request,
              [words.tags, texts.home.links],
              tags.slice(0, maxTags).map(({tag, ...each}) => ({
                ...each,
                name: html`<a href="${withQuery(root, {tag, ...spanParameters(span)})}#links-list"
                  ><bdi>${tag}</bdi></a
                >`,
              })),
            )}`,
        )
      }`,
  };
};

interface Numbers {
  readonly name: Html;
  readonly links?: number;
  readonly visits: number;
  readonly conversions: number;
  readonly values: readonly ConversionValue[];
}

/** Rows with bars for the visits. */
function numbers(request: DashboardRequest, names: readonly string[], rows: readonly Numbers[]): Html {
  const {texts, formats, hasConversions} = request;
  const {title, rate, value} = texts.conversions;
  const most = Math.max(1, ...rows.map(({visits}) => visits));
  return numberTable(
    'links-values links-compared',
    [...names, texts.visits.title, ...(hasConversions ? [title, rate, value] : [])],
    rows.map(({name, links, visits, conversions, values}) => [
      html`${name} ${shareBar(visits / most)}`,
      ...(links === undefined ? [] : [formats.number(links)]),
      formats.number(visits),
      ...(hasConversions
        ? [formats.number(conversions), formats.rate(conversions, visits), amounts(request, values)]
        : []),
    ]),
  );
}
