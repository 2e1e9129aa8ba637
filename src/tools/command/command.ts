import type {Readable, Writable} from 'node:stream';
import type {OnProgress} from '../progress.ts';

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The input of a command. */
export interface Call {
  readonly values: Values;
  /** The argument that is no option; empty for a command without one. */
  readonly operand: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly onProgress: OnProgress;
  /** Prints a line on standard error. */
  readonly report: (line: string) => void;
}

/** The result of a command. */
export interface Outcome {
  /** Printed as one line of JSON. */
  readonly summary: object;
  /** Why the command is incomplete; absent if it is complete. */
  readonly incomplete?: string | undefined;
  /** Whether standard output has other data, so that the summary goes to standard error. */
  readonly isStdoutTaken?: boolean;
}

export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  /** The output of `--help`. What it says of options is what is accepted: see `optionsIn`. */
  readonly help: string;
  /** The name of the operand, which is required unless it is optional. */
  readonly operand?: string;
  readonly isOperandOptional?: boolean;
  /** @throws UsageError for wrong arguments */
  run(call: Call): Promise<Outcome>;
}

/** Resolves when the text was written, and rejects if it cannot be. */
export function print(stdout: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** A wrong command line. The message repeats no value. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
