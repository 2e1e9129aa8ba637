import {firstContradiction, type Model, type Timed} from './linearizable.ts';
import {unlessKilled} from './load.ts';

/** Operations with the times when each began and ended. */
export class History<Request extends object, Answer> {
  readonly operations: Array<Request & Timed<Answer>> = [];

  /**
   * Also resolves if the process is killed before it has answered.
   *
   * @param ask gives undefined if the answer does not say whether the operation happened
   */
  async record(request: Request, ask: () => Promise<Answer | undefined>): Promise<void> {
    const start = performance.now();
    const answer = await ask().catch((error: unknown) => {
      unlessKilled(error);
      return undefined;
    });
    const end = answer === undefined ? Infinity : performance.now();
    this.operations.push({...request, start, end, answer});
  }

  /** The first answer that no order of the operations explains, with all operations by start time. */
  contradiction<State>(model: Model<Request & Timed<Answer>, State>): string | undefined {
    const contradiction = firstContradiction(this.operations, model);
    if (contradiction === undefined) return undefined;
    const sorted = this.operations.toSorted((a, b) => a.start - b.start);
    const lines = sorted.map((operation) => describe(operation, sorted[0]?.start ?? 0));
    return `Nothing explains\n${lines[sorted.indexOf(contradiction)]}\namong\n${lines.join('\n')}`;
  }
}

/** @param origin the time that is shown as 0 */
function describe({start, end, answer, ...request}: Timed, origin: number): string {
  const times = [start, end].map((time) => (time - origin).toFixed(3)).join(' to ');
  return `${times}: ${JSON.stringify(request)} ${JSON.stringify(answer === undefined ? 'no answer' : answer)}`;
}
