import type {Link} from '../../index.ts';
import {linkAddress} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {actionForm} from './pieces.ts';
import {expiryOf} from './status.ts';

/** The page that a switch is on. */
interface Origin {
  /** The query of the list that the switch is in. */
  readonly view?: string;
  readonly from?: 'link';
}

/**
 * The button that disables or enables a link. If enabling would fail, a link to the field that must be changed first. A
 * blocked link has neither, because only the operator can unblock it.
 */
export function switchOf(request: DashboardRequest, link: Link, {view = '', from}: Origin): Html | false {
  const {texts, root, now} = request;
  const {shortUrl, status, isBlocked} = link;
  if (isBlocked) return false;
  const {byDate, byVisits} = expiryOf(link, now);
  // A scheduled link is in service, only not yet.
  const isInService = status === 'active' || status === 'scheduled';
  if (!isInService && (byDate || byVisits || status === 'expired')) {
    const text = byVisits && !byDate ? texts.link.raiseLimit : texts.link.changeDate;
    const field = byVisits && !byDate ? 'max_visits' : 'expiry_date';
    const address = `${from === 'link' ? '' : linkAddress(root, shortUrl)}#links-${field}`;
    return html`<a class="links-button links-small" href="${address}" aria-label="${text}: ${shortUrl}">${text}</a>`;
  }
  const operation = isInService ? 'disable' : 'enable';
  const text = texts.link[operation];
  const button = html`<button class="links-button links-small" aria-label="${text}: ${shortUrl}">${text}</button>`;
  return actionForm(request, `${operation}${view}`, {short_url: shortUrl, ...(from && {from})}, button);
}
