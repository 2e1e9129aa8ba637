import type {SqlConnection} from '../../src/store/sql-statements.ts';

export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A connection without a server: it notes what is sent, and a test says what comes of it. */
export class StandInConnection<Result> implements SqlConnection<Result> {
  readonly sent: SentStatement[] = [];
  readonly #answer: (statement: SentStatement, signal: AbortSignal) => Result | Promise<Result>;

  constructor(answer: (statement: SentStatement, signal: AbortSignal) => Result | Promise<Result>) {
    this.#answer = answer;
  }

  get texts(): string[] {
    return this.sent.map(({text}) => text);
  }

  async send(text: string, values: readonly unknown[], signal: AbortSignal): Promise<Result> {
    this.sent.push({text, values});
    return this.#answer({text, values}, signal);
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }
}
