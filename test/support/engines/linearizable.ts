/** One request of one client, and its answer. Times are milliseconds of one clock. */
export interface Timed<Answer = unknown> {
  readonly start: number;
  /** Infinity without an answer: the operation may have happened at any time since, or never. */
  readonly end: number;
  /** Undefined if the answer was lost, or does not say whether the operation happened. */
  readonly answer: Answer | undefined;
}

/** The contract of one thing, for operations that follow one another. */
export interface Model<Operation, State> {
  readonly initial: State;
  /** `isExplained` is false if the answer is not the one of this state. */
  readonly perform: (state: State, operation: Operation) => {readonly next: State; readonly isExplained: boolean};
  /** Whether the operation leaves the state unchanged whenever its answer is explained. */
  readonly isRead: (operation: Operation) => boolean;
}

/**
 * Whether some order of the operations explains every answer and respects real time: an operation that ended before
 * another started comes first. This is the search of Wing and Gong with the memory of failed states by Lowe.
 */
export function isLinearizable<Operation extends Timed, State>(
  history: readonly Operation[],
  {initial, perform, isRead}: Model<Operation, State>,
): boolean {
  const operations = history.toSorted((a, b) => a.end - b.end);
  const kinds = operations.map((operation) => JSON.stringify({...operation, start: 0, end: 0}));
  const failed = new Set<string>();
  /** @param pending places in `operations`, in order */
  const search = (pending: readonly number[], state: State): boolean => {
    const firstEnd = operations[pending[0] ?? NaN]?.end ?? Infinity;
    // Operations without an answer need not have happened.
    if (firstEnd === Infinity) return true;
    const position = `${pending.join()} ${JSON.stringify(state)}`;
    if (failed.has(position)) return false;
    failed.add(position);
    const tried = new Set<string | undefined>();
    for (const index of pending) {
      const operation = operations[index];
      if (operation === undefined || operation.start > firstEnd) continue;
      // Of equal operations, the one that ended first can always come first.
      if (tried.has(kinds[index])) continue;
      tried.add(kinds[index]);
      const {next, isExplained} = perform(state, operation);
      if (!isExplained) continue;
      const rest = pending.filter((other) => other !== index);
      const isFound = search(rest, next);
      // A read can always come first if it is explained, so no other choice is needed.
      if (isFound || isRead(operation)) return isFound;
    }
    return false;
  };
  return search(Array.from(operations.keys()), initial);
}

/** The first answer that no order explains, given the requests and answers before it. */
export function firstContradiction<Operation extends Timed, State>(
  history: readonly Operation[],
  model: Model<Operation, State>,
): Operation | undefined {
  if (isLinearizable(history, model)) return undefined;
  return history
    .filter(({end}) => end !== Infinity)
    .toSorted((a, b) => a.end - b.end)
    .find(({end}) => {
      const known = history
        .filter(({start}) => start <= end)
        .map((operation) => (operation.end <= end ? operation : {...operation, end: Infinity, answer: undefined}));
      return !isLinearizable(known, model);
    });
}
