import type {Readable, Writable} from 'node:stream';
import type {OnProgress} from '../progress.ts';

/** An option for `parseArgs` of `node:util`. A command checks itself whether a required option is missing. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
}

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** The input of a command. */
export interface Call {
  readonly values: Values;
  /** The arguments that are not options. */
  readonly operands: readonly string[];
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
  /** The output of `--help`. */
  readonly help: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** The names of the operands in order. All of them are required. */
  readonly operands: readonly string[];
  /** @throws UsageError for wrong arguments */
  run(call: Call): Promise<Outcome>;
}
