import {withQuery} from '../addresses.ts';
import {field} from '../forms/field.ts';
import {attributes, html, type Html} from '../html.ts';
import {chooser, hiddenInputs} from '../parts/pieces.ts';
import type {DashboardRequest} from '../request.ts';
import {type Choice, choices, firstDate, type Span} from './span.ts';

/** A page with statistics: its path, and the other parameters of its query. */
export interface SpanPage {
  readonly path: string;
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** Links to the spans of a page, and a form for days of the user's choice. */
export function spanChooser(
  {texts: {visits}, formats, root, today}: DashboardRequest,
  {choice, query, entered, isRefused}: Span,
  {path, parameters}: SpanPage,
): Html {
  const names: Partial<Record<Choice, string>> = {month: visits.month, 'last-month': visits.lastMonth};
  const links = choices.map((each) => ({
    text: names[each] ?? formats.count(Number(each), visits.days),
    href: `${withQuery(root + path, {...parameters, days: each})}#links-visits`,
    isCurrent: each === choice && !isRefused,
  }));
  const shown = isRefused ? entered : query;
  const date = {type: 'date', min: firstDate(today), max: today, required: true};
  return html`${chooser(visits.span, links)}
    <details ${attributes({class: 'links-more links-own-span', open: choice === undefined || isRefused})}>
      <summary>${visits.own}</summary>
      <form class="links-span-form" action="${root}${path}#links-visits">
        ${hiddenInputs(parameters)}
        ${field({
          name: 'from',
          label: visits.from,
          error: isRefused ? visits.mistake : undefined,
          attributes: {...date, value: shown.from},
        })}
        ${field({name: 'until', label: visits.until, attributes: {...date, value: shown.until}})}
        <button class="links-button">${visits.show}</button>
      </form>
    </details>`;
}
