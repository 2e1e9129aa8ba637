import type {Model, Timed} from './linearizable.ts';

/** One request about one link. */
export interface LinkRequest {
  readonly name: 'create' | 'disable' | 'enable' | 'update' | 'remove' | 'info' | 'visit' | 'block' | 'unblock';
  /** The account that sends it, unless all operations come from the same one. */
  readonly account?: string;
  /** The long URL that a `create` or an `update` sends; an `update` without it changes something else. */
  readonly url?: string;
  /** The fields that a `create` or an `update` sets, for answers that show the fields of the link. */
  readonly fields?: Fields;
  /** What else an `update` changes. */
  readonly decision?: Partial<Decision>;
  /** Whether the `visit` is of a visitor whom the rule fits. */
  readonly isSpecial?: boolean;
}

export type LinkOperation = LinkRequest & Timed<Answer>;

/** What decides, besides the long URL and the status, where visitors go. */
export interface Decision {
  /** Where the visitors go whom the only rule fits; null without a rule. */
  readonly special: string | null;
  /** Where visitors of the expired link go; null for a page. */
  readonly expired: string | null;
  /** Whether the first day is in the future. */
  readonly isScheduled: boolean;
  /** Whether its visits are used up. */
  readonly isOver: boolean;
}

/** The part of an answer that depends on earlier operations on the link. */
export interface Answer {
  /** The HTTP status. */
  readonly code: number;
  /** The long URL of a redirect, or in the answer of `info` or `update`. */
  readonly url?: string | undefined;
  readonly status?: string;
  readonly totalVisits?: number;
  /** The fields of the link, if the answer shows them. */
  readonly fields?: Fields;
}

/** Values of fields by their names. A field that is null or absent has no value. */
export type Fields = Readonly<Record<string, string | null>>;

export interface Strictness {
  /** Whether `info` must show exactly the redirects before it. Otherwise counts are ignored. */
  readonly countsVisits: boolean;
}

interface Link extends Partial<Decision> {
  readonly status: 'absent' | 'removed' | 'active' | 'disabled';
  readonly account?: string | undefined;
  readonly isBlocked?: boolean;
  readonly url?: string | undefined;
  readonly fields: Fields;
  readonly visits: number;
}

/** The contract of one link. */
export function linkModel({countsVisits}: Strictness): Model<LinkOperation, Link> {
  return {
    initial: {status: 'absent', fields: {}, visits: 0},
    perform: (link, operation) => {
      const {next, answer} = perform(link, operation);
      return {
        next: countsVisits ? next : {...next, visits: 0},
        isExplained: agrees(operation.answer, answer, countsVisits),
      };
    },
    isRead: (operation) => isRead(operation, countsVisits),
  };
}

interface Performed {
  readonly next: Link;
  readonly answer: Answer;
}

function perform(link: Link, operation: LinkOperation): Performed {
  const {name, account, url, fields = {}, decision} = operation;
  const {status, isBlocked = false, visits} = link;
  const isListed = status === 'active' || status === 'disabled';
  const isOwn = link.account === account;
  const refused = (code: number): Performed => ({next: link, answer: {code}});
  const changed = (next: Link): Performed => ({next, answer: {code: 200, status: shownStatus(next)}});
  if (name === 'create') {
    if (isListed || (status === 'removed' && (!isOwn || isBlocked))) return refused(409);
    return {next: {status: 'active', account, isBlocked, url, fields, visits: 0}, answer: {code: 200}};
  }
  if (name === 'visit') return visit(link, operation);
  const isOperator = name === 'block' || name === 'unblock';
  if (!isListed || !(isOwn || isOperator)) return refused(404);
  if (isBlocked && (name === 'enable' || name === 'update')) return refused(403);
  switch (name) {
    case 'disable':
      return changed({...link, status: 'disabled'});
    case 'enable':
      return link.isOver === true ? refused(409) : changed({...link, status: 'active'});
    case 'block':
    case 'unblock':
      return changed({...link, isBlocked: name === 'block'});
    case 'update': {
      const {next, answer} = changed({
        ...link,
        ...decision,
        url: url ?? link.url,
        fields: {...link.fields, ...fields},
      });
      return {next, answer: {...answer, url: next.url, fields: next.fields}};
    }
    case 'remove':
      return {next: {...link, status: 'removed', visits: 0}, answer: {code: 200, status: 'removed'}};
    case 'info': {
      const {answer} = changed(link);
      return {next: link, answer: {...answer, url: link.url, totalVisits: visits, fields: link.fields}};
    }
  }
}

/** A redirect to the URL after expiry does not count. */
function visit(link: Link, {isSpecial = false}: LinkOperation): Performed {
  const redirected = (url: string | undefined, visits: number): Performed => ({
    next: {...link, visits},
    answer: {code: 302, url, fields: link.fields},
  });
  const refused = (code: number): Performed => ({next: link, answer: {code}});
  switch (shownStatus(link)) {
    case 'active':
      return redirected((isSpecial ? link.special : undefined) ?? link.url, link.visits + 1);
    case 'expired':
      return link.expired == null ? refused(410) : redirected(link.expired, link.visits);
    case 'scheduled':
    case 'absent':
      return refused(404);
    default:
      return refused(410);
  }
}

/** The status that the owner sees, which `absent` and `removed` links do not have. */
function shownStatus({status, isBlocked, isOver, isScheduled}: Link): string {
  if (status === 'active' && isBlocked === true) return 'disabled';
  if (status !== 'active') return status;
  if (isOver === true) return 'expired';
  return isScheduled === true ? 'scheduled' : 'active';
}

function isRead({name, answer}: LinkOperation, countsVisits: boolean): boolean {
  if (name === 'info' || (name === 'visit' && !countsVisits)) return true;
  return answer !== undefined && answer.code >= 400;
}

function agrees(answer: Answer | undefined, expected: Answer, countsVisits: boolean): boolean {
  if (answer === undefined) return true;
  return (
    answer.code === expected.code &&
    answer.url === expected.url &&
    answer.status === expected.status &&
    (answer.fields === undefined || isSame(answer.fields, expected.fields ?? {})) &&
    (!countsVisits || answer.totalVisits === expected.totalVisits)
  );
}

function isSame(one: Fields, other: Fields): boolean {
  return Object.keys({...one, ...other}).every((name) => (one[name] ?? null) === (other[name] ?? null));
}
