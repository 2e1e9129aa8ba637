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
  /** Undefined if the answer was lost, or does not say whether the operation happened. */
  readonly answer: Answer | undefined;
}

/** The part of an answer that depends on earlier operations on the link. */
export interface Answer {
  /** The HTTP status. */
  readonly code: number;
  /** The long URL of a redirect, or in the answer of `info` or `update`. */
  readonly url?: string | undefined;
  readonly status?: string;
  readonly totalVisits?: number;
}

export interface Strictness {
  /** Whether `info` must show exactly the redirects before it. Otherwise counts are ignored. */
  readonly countsVisits: boolean;
}

interface Link {
  readonly status: 'absent' | 'removed' | 'active' | 'disabled';
  readonly account?: string | undefined;
  readonly isBlocked?: boolean;
  readonly url?: string | undefined;
  readonly visits: number;
}

/**
 * Whether some order of the operations explains every answer and respects real time: an operation that ended before
 * another started comes first. This is the search of Wing and Gong with the memory of failed states by Lowe.
 */
export function isLinearizable(history: readonly Operation[], {countsVisits}: Strictness): boolean {
  const operations = history.toSorted((a, b) => a.end - b.end);
  const kinds = operations.map(({name, account, url, answer}) => JSON.stringify([name, account, url, answer]));
  const failed = new Set<string>();
  /** @param pending places in `operations`, in order */
  const search = (pending: readonly number[], link: Link): boolean => {
    const firstEnd = operations[pending[0] ?? NaN]?.end ?? Infinity;
    // Operations without an answer need not have happened.
    if (firstEnd === Infinity) return true;
    const position = `${pending.join()} ${Object.values(link).join(' ')}`;
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
  return search(Array.from(operations.keys()), {status: 'absent', visits: 0});
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

/** The contract of one link, for sequential operations. */
function perform(link: Link, {name, account, url}: Operation): {readonly next: Link; readonly answer: Answer} {
  const {status, isBlocked = false, visits} = link;
  const isListed = status === 'active' || status === 'disabled';
  const isOwn = link.account === account;
  const refused = (code: number): {next: Link; answer: Answer} => ({next: link, answer: {code}});
  const changed = (next: Link): {next: Link; answer: Answer} => ({
    next,
    answer: {code: 200, status: next.isBlocked ? 'disabled' : next.status},
  });
  if (name === 'create') {
    if (isListed || (status === 'removed' && (!isOwn || isBlocked))) return refused(409);
    return {next: {status: 'active', account, isBlocked, url, visits: 0}, answer: {code: 200}};
  }
  if (name === 'visit') {
    if (status === 'absent') return refused(404);
    if (status !== 'active' || isBlocked) return refused(410);
    return {next: {...link, visits: visits + 1}, answer: {code: 302, url: link.url}};
  }
  const isOperator = name === 'block' || name === 'unblock';
  if (!isListed || !(isOwn || isOperator)) return refused(404);
  if (isBlocked && (name === 'enable' || name === 'update')) return refused(403);
  switch (name) {
    case 'disable':
      return changed({...link, status: 'disabled'});
    case 'enable':
      return changed({...link, status: 'active'});
    case 'block':
    case 'unblock':
      return changed({...link, isBlocked: name === 'block'});
    case 'update': {
      const {next, answer} = changed({...link, url: url ?? link.url});
      return {next, answer: {...answer, url: next.url}};
    }
    case 'remove':
      return {next: {...link, status: 'removed', visits: 0}, answer: {code: 200, status: 'removed'}};
    case 'info': {
      const {answer} = changed(link);
      return {next: link, answer: {...answer, url: link.url, totalVisits: visits}};
    }
  }
}

/** Whether the operation leaves the link unchanged whenever its answer is explained. */
function isRead({name, answer}: Operation, countsVisits: boolean): boolean {
  if (name === 'info') return true;
  if (name === 'visit' && !countsVisits) return true;
  return answer !== undefined && answer.code >= 400;
}

function agrees(answer: Answer | undefined, expected: Answer, countsVisits: boolean): boolean {
  if (answer === undefined) return true;
  return (
    answer.code === expected.code &&
    answer.url === expected.url &&
    answer.status === expected.status &&
    (!countsVisits || answer.totalVisits === expected.totalVisits)
  );
}
