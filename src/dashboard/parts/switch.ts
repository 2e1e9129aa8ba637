import type {Link} from '../../index.ts';
import {linkAddress} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {actionForm} from './pieces.ts';
import {whyOver} from './status.ts';

/** Where a switch stands. */
export interface Place {
  /** The query of the list that it stands in. */
  readonly view?: string;
  readonly from?: 'link';
}

/**
 * The button that disables or enables a link. Where enabling could only fail, a link to what has to be changed first. A
 * blocked link has none: only the operator can unblock it.
 */
export function switchOf(request: DashboardRequest, link: Link, {view = '', from}: Place): Html | false {
  const {texts, root, now} = request;
  const {shortUrl, status, isBlocked} = link;
  if (isBlocked) return false;
  const {byDate, byVisits} = whyOver(link, now);
  if (status !== 'active' && (byDate || byVisits || status === 'expired')) {
    const text = byVisits && !byDate ? texts.link.raiseLimit : texts.link.changeDate;
    const field = byVisits && !byDate ? 'max_visits' : 'expiry_date';
    const address = `${from === 'link' ? '' : linkAddress(root, shortUrl)}#${field}`;
    return html`<a class="links-button links-small" href="${address}" aria-label="${text}: ${shortUrl}">${text}</a>`;
  }
  const operation = status === 'active' ? 'disable' : 'enable';
  const text = texts.link[operation];
  const button = html`<button class="links-button links-small" aria-label="${text}: ${shortUrl}">${text}</button>`;
  return actionForm(request, `${operation}${view}`, {short_url: shortUrl, ...(from && {from})}, button);
}
