import type {DetailVisits, VisitStats} from '../../index.ts';
import {html, type Html} from '../html.ts';
import {csvLink} from '../files/csv-file.ts';
import {numberTable} from '../parts/tables.ts';
import type {DashboardRequest} from '../request.ts';
import {shareBar} from './chart.ts';
import type {Span} from './span.ts';

/** How many values are shown outside the closed `<details>`. */
const shownValues = 8;

/**
 * The values of each detail, as bars with numbers: those of the months of the days that are shown.
 *
 * @param csv the address of the file with them
 */
export function visitDetails(
  request: DashboardRequest,
  {details = {}, span}: {readonly details: VisitStats['details'] | undefined; readonly span: Span},
  csv?: string,
): Html | undefined {
  const {texts, formats} = request;
  const present = Object.entries(details).filter(([, values]) => values.length > 0);
  if (present.length === 0) return undefined;
  // Visits have most details, so the most of them are all visits of these months.
  const visits = Math.max(...present.map(([, values]) => values.reduce((sum, each) => sum + each.visits, 0)));
  const months = formats.months(span.query.from, span.query.until);
  return html`<details class="links-more" open>
    <summary>
      ${texts.details.title} <span class="links-quiet">${months}: ${formats.count(visits, texts.visits.count)}</span>
    </summary>
    <div class="links-details">${present.map(([name, values]) => detail(request, name, values))}</div>
    ${csv !== undefined && html`<p>${csvLink(request, csv)}</p>`}
  </details>`;
}

function detail(request: DashboardRequest, name: string, values: readonly DetailVisits[]): Html {
  const {texts, formats} = request;
  const {title, nameOfValue: nameOf} = detailNames(request, name);
  const rest = values.slice(shownValues);
  return html`<section>
    <h3>${title}</h3>
    ${valueTable(request, {title, nameOf}, values.slice(0, shownValues), values)}
    ${
      rest.length > 0 &&
      html`<details class="links-more">
        <summary>${formats.count(rest.length, texts.details.more)}</summary>
        ${valueTable(request, {title, nameOf}, rest, values)}
      </details>`
    }
  </section>`;
}

/** What people read for a detail and its values. The host chooses the names of its details; the common ones are translated. */
export function detailNames({texts, formats}: DashboardRequest, name: string) {
  return {
    title: translated(texts.details.names, name),
    nameOfValue: (value: string): string =>
      name === 'country' ? formats.country(value) : translated(texts.details.values, value),
  };
}

function valueTable(
  {texts, formats}: DashboardRequest,
  {title, nameOf}: {readonly title: string; readonly nameOf: (value: string) => string},
  shown: readonly DetailVisits[],
  all: readonly DetailVisits[],
): Html {
  const most = Math.max(...all.map(({visits}) => visits));
  const total = all.reduce((sum, {visits}) => sum + visits, 0);
  return numberTable(
    'links-values',
    [
      {
        name: title,
        cell: ({value, visits}) => html`<bdi>${nameOf(value)}</bdi> ${shareBar(visits / most)}`,
      },
      {name: texts.visits.title, cell: ({visits}) => formats.number(visits)},
      {name: '%', cell: ({visits}) => html`<span class="links-quiet">${formats.share(visits / total)}</span>`},
    ],
    shown,
  );
}

function translated(known: Readonly<Record<string, string>>, word: string): string {
  return (Object.hasOwn(known, word) ? known[word] : undefined) ?? word;
}
