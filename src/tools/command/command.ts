import type {Readable, Writable} from 'node:stream';
import type {OnProgress} from '../progress.ts';

/** An option as `node:util` parses it. All are optional for the parser: a command says itself what it needs. */
export interface CommandOption {
  readonly type: 'string' | 'boolean';
}

export type Values = Readonly<Record<string, string | boolean | undefined>>;

/** What a command is given. */
export interface Call {
  readonly values: Values;
  /** What stands in the command line besides options. */
  readonly operands: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly onProgress: OnProgress;
  /** Prints a line on standard error. */
  readonly report: (line: string) => void;
}

/** What a command has done. */
export interface Outcome {
  /** Printed as one line of JSON. */
  readonly summary: object;
  /** Why not everything was done; absent if it was. */
  readonly incomplete?: string | undefined;
  /** Whether standard output has something else, so that the summary goes to standard error. */
  readonly isStdoutTaken?: boolean;
}

export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  /** What `--help` prints. */
  readonly help: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** The names of the operands, in their order; all of them are required. */
  readonly operands: readonly string[];
  /** @throws UsageError for arguments that cannot be right */
  run(call: Call): Promise<Outcome>;
}
