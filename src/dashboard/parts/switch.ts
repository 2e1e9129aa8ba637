import type {Link} from '../../index.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {actionForm} from './pieces.ts';

/** The page that a switch is on. */
interface Origin {
  /** The query of the list that the switch is in. */
  readonly view?: string;
  readonly from?: 'link';
}

/**
 * The button that disables or enables a link. A blocked link has none, because only the operator can unblock it, and an
 * expired one has to be changed first.
 */
export function switchOf(request: DashboardRequest, link: Link, {view = '', from}: Origin): Html | false {
  const {shortUrl, status, isBlocked} = link;
  if (isBlocked || status === 'expired') return false;
  const operation = status === 'disabled' ? 'enable' : 'disable';
  const text = request.texts.link[operation];
  const button = html`<button class="links-button links-small" aria-label="${text}: ${shortUrl}">${text}</button>`;
  return actionForm(request, `${operation}${view}`, {short_url: shortUrl, from}, button);
}
