/** One request of one client about one link. Times are milliseconds of one clock. */
export interface Operation {
  readonly name: 'create' | 'disable' | 'enable' | 'update' | 'remove' | 'info' | 'visit' | 'block' | 'unblock';
  /** The account that sends it, unless all operations come from the same one. */
  readonly account?: string;
  readonly start: number;
  /** Infinity without an answer: the operation may have happened at any time since, or never. */
  readonly end: number;
  /** The long URL that a `create` or an `update` sends; an `update` without it changes something else. */
  readonly url?: string;
  /** The fields that a `create` or an `update` sets, for answers that show the fields of the link. */
  readonly fields?: Fields;
  /** What else an `update` changes. */
  readonly decision?: Partial<Decision>;
  /** Whether the `visit` is of a visitor whom the rule fits. */
  readonly isSpecial?: boolean;
  /** Undefined if the answer was lost, or does not say whether the operation happened. */
  readonly answer: Answer | undefined;
}

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

/**
 * Whether some order of the operations explains every answer and respects real time: an operation that ended before
 * another started comes first. This is the search of Wing and Gong with the memory of failed states by Lowe.
 */
export function isLinearizable(history: readonly Operation[], {countsVisits}: Strictness): boolean {
  const operations = history.toSorted((a, b) => a.end - b.end);
  const kinds = operations.map((operation) => JSON.stringify({...operation, start: 0, end: 0}));
  const failed = new Set<string>();
  /** @param pending places in `operations`, in order */
  const search = (pending: readonly number[], link: Link): boolean => {
    const firstEnd = operations[pending[0] ?? NaN]?.end ?? Infinity;
    // Operations without an answer need not have happened.
    if (firstEnd === Infinity) return true;
    const position = `${pending.join()} ${JSON.stringify(link)}`;
    if (failed.has(position)) return false;
    failed.add(position);
    const tried = new Set<string | undefined>();
    for (const index of pending) {
      const operation = operations[index];
      if (operation === undefined || operation.start > firstEnd) continue;
      // Of equal operations, the one that ended first can always come first.
      if (tried.has(kinds[index])) continue;
      tried.add(kinds[index]);
      const {next, answer} = perform(link, operation);
      if (!agrees(operation.answer, answer, countsVisits)) continue;
      const rest = pending.filter((other) => other !== index);
      const isFound = search(rest, countsVisits ? next : {...next, visits: 0});
      // A read can always come first if it is explained, so no other choice is needed.
      if (isFound || isRead(operation, countsVisits)) return isFound;
    }
    return false;
  };
  return search(Array.from(operations.keys()), {status: 'absent', fields: {}, visits: 0});
}

/** The first answer that no order explains, given the requests and answers before it. */
export function firstContradiction(history: readonly Operation[], strictness: Strictness): Operation | undefined {
  if (isLinearizable(history, strictness)) return undefined;
  return history
    .filter(({end}) => end !== Infinity)
    .toSorted((a, b) => a.end - b.end)
    .find(({end}) => {
      const known = history
        .filter(({start}) => start <= end)
        .map((operation) => (operation.end <= end ? operation : {...operation, end: Infinity, answer: undefined}));
      return !isLinearizable(known, strictness);
    });
}

interface Performed {
  readonly next: Link;
  readonly answer: Answer;
}

/** The contract of one link, for sequential operations. */
function perform(link: Link, operation: Operation): Performed {
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
function visit(link: Link, {isSpecial = false}: Operation): Performed {
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

/** Whether the operation leaves the link unchanged whenever its answer is explained. */
function isRead({name, answer}: Operation, countsVisits: boolean): boolean {
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
