import type {KeyScope} from '../../src/accounts/keys.ts';
import type {CreateLink, Link, UpdateLink} from '../../src/link/link.ts';
import type {LinkRecord} from '../../src/link/record.ts';
import type {Action} from './plan.ts';

/** A request and what its client saw. */
export interface Seen {
  readonly do: Action['do'];
  readonly slug: string;
  readonly account: string;
  readonly ip: string;
  /** The name of the process. */
  readonly process: string;
  /** Stamps of the timeline. */
  readonly start: number;
  /** Infinity without an answer, and for a 503: what was asked for may happen later, or never. */
  end: number;
  /** When it began and ended, in milliseconds since the epoch. */
  readonly began: number;
  ended: number;
  /** How far the clock of its process was ahead, in milliseconds; undefined if it was set meanwhile, and without an answer. */
  ahead?: number;
  /** The HTTP status; undefined without an answer. */
  code?: number;
  /** The code of the error in the answer. */
  error?: string;
  /** What was sent. */
  input?: UpdateLink & Pick<Partial<CreateLink>, 'customUrl' | 'reuse'>;
  /** The API key that was sent, answered or revoked. */
  key?: string | undefined;
  /** What the key allows. */
  scope?: KeyScope | undefined;
  /** What a key must allow for this call. */
  needed?: KeyScope;
  /** The idempotency key of a create. */
  once?: string;
  /** What makes a conversion one: who has recorded it, and its id. */
  order?: string;
  /** What makes a refund of that order one. */
  refund?: string;
  /** What was refunded. */
  value?: number;
  /** Who has identified a customer, and the customer. */
  customer?: string;
  /** Whether a customer was known who is forgotten. */
  wasKnown?: boolean;
  /** The link in the answer. */
  link?: Partial<Link>;
  /** The record that a counted redirect has followed. */
  followed?: LinkRecord;
  /** The record that an uncounted redirect has followed: of a HEAD request, or of an expired link. */
  read?: LinkRecord;
  /** Where a visitor is redirected; undefined also behind a password. */
  location?: string | undefined;
  /** Whether the visitor has a telephone. */
  isMobile?: boolean;
  /** What was asked besides, and the answer. */
  question?: string;
  answer?: unknown;
  /** The short parts in a list. */
  listed?: readonly string[];
  /** Whether the process saw an outage meanwhile, in which it redirects without a look at the store. */
  isInOutage?: boolean;
}

/** Only the last of them is ever removed or blocked. */
export const accounts = ['ann', 'bob', 'eve'];
export const slugs = ['l0', 'l1', 'l2'];
/** The links that an import brings, and the visits of each. No other request creates them. */
export const imported = ['m0', 'm1', 'm2'];
export const importedVisits = 5;
/** The query of every visit. */
export const query = '?from=visitor';

/** Begins the long URLs of links that are created with an idempotency key. */
export const onceUrl = 'https://destination.example/once/';

/** The long URL of every create with `reuse`. */
export const reuseUrl = 'https://destination.example/reuse';

/** The reference that links of every account may have. */
export const reference = 'order 1001';

/** Whether the answer says that nothing was done. */
export function isRefused({code}: Seen): boolean {
  return code !== undefined && code >= 400 && code !== 503;
}

/** Whether the request concerns an account as a whole, which is the last one then. */
export function isOfOperator(deed: Action['do']): boolean {
  return deed === 'expel' || deed === 'blockAccount' || deed === 'unblockAccount';
}
