import {withQuery} from '../addresses.ts';
import {momentIn} from '../../values/calendar.ts';
import type {Link} from '../../index.ts';
import {html, type Html} from '../html.ts';
import type {InputName} from '../forms/inputs.ts';
import type {DashboardRequest} from '../request.ts';

/** The input that must be changed before a link can be enabled; undefined if none has to. */
export function exhausted({status, expiryDate, maxVisits, totalVisits}: Link, now: number): InputName | undefined {
  const isPast = expiryDate !== null && momentIn(expiryDate) < now;
  if (!isPast && maxVisits !== null && totalVisits >= maxVisits) return 'max_visits';
  return isPast || status === 'expired' ? 'expiry_date' : undefined;
}

export function statusOf({texts, formats}: DashboardRequest, link: Link): Html {
  const {hasPassword, confirm, startDate, expiryDate, maxVisits, totalVisits} = link;
  const {broken, isBlocked, blockReason, isHidden} = link;
  const status = isBlocked ? 'blocked' : link.status;
  const facts = [
    broken !== null &&
      html`${texts.link.broken(formats.date(broken.since))}${broken.reason !== undefined && html`: <bdi>${broken.reason}</bdi>`}`,
    isHidden === true && texts.link.hidden,
    hasPassword ? texts.link.withPassword : confirm && texts.link.asks,
    link.status === 'scheduled' && startDate !== null && texts.link.from(formats.limit(startDate)),
    expiryDate !== null && texts.link.until(formats.limit(expiryDate)),
    maxVisits !== null && texts.link.ofLimit(formats.number(totalVisits), formats.number(maxVisits)),
  ].filter((fact) => fact !== false);
  return html`<span class="links-status links-${status}">${texts.statuses[status]}</span>
    ${blockReason !== undefined && html`<span class="links-fact">${texts.account.reasonIs} <bdi>${blockReason}</bdi></span>`}
    ${facts.map((fact) => html`<span class="links-fact">${fact}</span>`)}`;
}

/** The number of broken links among the figures of a page, which leads to the list of them; nothing if there are none. */
export function brokenCount(
  {texts, formats}: DashboardRequest,
  count: number,
  list: string,
): ReadonlyArray<readonly [name: string, value: Html]> {
  if (count === 0) return [];
  return [
    [
      texts.home.broken,
      html`<a href="${withQuery(list, {status: 'broken'})}#links-found">${formats.number(count)}</a>`,
    ],
  ];
}
