import {Session} from 'node:inspector/promises';

/** The program, by its files or in a bundle of tests. */
const program = /\/(?:src|reports\/tests)\//;

/** Tells which inputs reach code of `src` that none before has reached. */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', {callCount: true, detailed: true});
  }

  /** How many blocks were run since the last call for the first time, or for the first time so often. */
  async take(): Promise<number> {
    const {result} = await this.#session.post('Profiler.takePreciseCoverage');
    const before = this.#seen.size;
    for (const {url, functions} of result) {
      if (!program.test(url)) continue;
      for (const {ranges} of functions) {
        for (const {startOffset, endOffset, count} of ranges) {
          if (count > 0) this.#seen.add(`${url} ${startOffset} ${endOffset} ${degree(count)}`);
        }
      }
    }
    return this.#seen.size - before;
  }

  stop(): void {
    this.#session.disconnect();
  }
}

/** Counts in steps, so that an input which runs a loop much more often is new too. */
function degree(count: number): number {
  return Math.min(7, Math.floor(Math.log2(count)));
}
