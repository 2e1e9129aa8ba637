import type {Context} from 'koa';
import type {VisitedLink} from '../../link/link.ts';
import type {Expiry} from '../../links/change/expiry.ts';
import type {LinkServices} from '../../links/services.ts';
import type {PasswordAttempts} from '../../visits/attempts.ts';
import type {Redirects} from '../../visits/redirects.ts';
import type {Destinations} from './destination.ts';
import type {Pages} from './pages/pages.ts';
import type {Marker} from './via.ts';
import type {VisitDetails} from './visit-details.ts';

export type CountVisit = (ctx: Context, link: VisitedLink) => boolean | Promise<boolean>;

/** What the stages of an answer to a visitor use. */
export interface VisitorServices extends Pick<
  LinkServices,
  'bases' | 'calendar' | 'schemes' | 'announcer' | 'fieldDefaults' | 'now'
> {
  readonly redirects: Redirects;
  readonly destinations: Destinations;
  readonly details: VisitDetails;
  readonly attempts: PasswordAttempts;
  readonly expiry: Pick<Expiry, 'notice'>;
  /** Undefined if visitors are not marked. */
  readonly marker?: Marker | undefined;
  readonly pages: Pages;
  readonly redirectStatus: number;
  /** The host's own rule; undefined for the list of bots. */
  readonly countVisit: CountVisit | undefined;
}
