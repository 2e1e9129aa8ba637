import type {Link} from '../../index.ts';
import {linkAddress} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {actionForm} from './pieces.ts';
import {exhausted} from './status.ts';

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
  // A scheduled link is in service, only not yet.
  const isInService = status === 'active' || status === 'scheduled';
  const field = isInService ? undefined : exhausted(link, now);
  if (field !== undefined) {
    const text = field === 'expiry_date' ? texts.link.changeDate : texts.link.raiseLimit;
    const address = `${from === 'link' ? '' : linkAddress(root, shortUrl)}#links-${field}`;
    return html`<a class="links-button links-small" href="${address}" aria-label="${text}: ${shortUrl}">${text}</a>`;
  }
  const operation = isInService ? 'disable' : 'enable';
  const text = texts.link[operation];
  const button = html`<button class="links-button links-small" aria-label="${text}: ${shortUrl}">${text}</button>`;
  return actionForm(request, `${operation}${view}`, {short_url: shortUrl, ...(from && {from})}, button);
}
