import type {Fields} from '../../http/koa/form-body.ts';
import type {SharedFigure} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {check, field} from '../forms/field.ts';
import {attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';
import {sharedFigures} from '../visits/conversions.ts';
import {actionForm} from './pieces.ts';

/** A link or a tag to share, as the fields of a form. */
export type Subject = Readonly<{short_url: string; tag?: never} | {short_url?: never; tag: string}>;

/** What a query or a form names; undefined if it is nothing. */
export function subjectIn(given: Pick<Fields, 'get'> | URLSearchParams): Subject | undefined {
  const [shortUrl, tag] = [given.get('short_url'), given.get('tag')];
  if (shortUrl) return {short_url: shortUrl};
  return tag ? {tag} : undefined;
}

/** The numbers that a page can show. */
export function figures({hasConversions}: Pick<DashboardRequest, 'hasConversions'>): readonly SharedFigure[] {
  return hasConversions ? sharedFigures : ['visits'];
}

export function figureName({visits, conversions}: Texts, figure: SharedFigure): string {
  return {visits: visits.title, conversions: conversions.title, amounts: conversions.value}[figure];
}

/** A small form behind a closed `<details>` that shares the numbers of a link or a tag. */
export function shareForm(request: DashboardRequest, subject: Subject, isOpen = false): Html {
  const {texts, root, today} = request;
  const words = texts.share;
  const content = html`<p>${words.text(subject.tag ?? withoutScheme(subject.short_url))}</p>
    <fieldset class="links-formats">
      <legend>${words.show}</legend>
      ${figures(request).map((figure) => check({name: `show_${figure}`, value: 'yes', checked: figure === 'visits'}, figureName(texts, figure)))}
    </fieldset>
    ${field({name: 'until', label: words.until, hint: words.untilHint, attributes: {id: 'links-share-until', type: 'date', min: today}})}
    <p class="links-row">
      <button class="links-button">${words.submit}</button>
      <a href="${withQuery(`${root}shares`, {})}">${words.title}</a>
    </p>`;
  return html`<details ${attributes({class: 'links-more links-share', open: isOpen})}>
    <summary>${words.open}</summary>
    ${actionForm(request, 'share', subject, content)}
  </details>`;
}
