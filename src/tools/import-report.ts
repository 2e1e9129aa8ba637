/** A line of a source that did not come over as it was. */
export interface ImportLine {
  /** Its line in a file of lines, its number in any other source; from 1. */
  readonly line: number;
  /** As it stands in the source, at most 100 characters; null where there is none. */
  readonly shortPart: string | null;
  /** Why, for programs: docs/importing.md has the codes. */
  readonly code: string;
  /** Why, for people. */
  readonly message: string;
  /** Whether the link was imported, and something of it is different; otherwise it was not imported. */
  readonly isImported: boolean;
}

/** What an import has done. */
export interface ImportSummary {
  /** Links in the source, those that cannot be read included. */
  readonly read: number;
  readonly imported: number;
  /** Links that the account had already, with the same long URL. */
  readonly unchanged: number;
  readonly rejected: number;
  /** How many lines of the report have a code. */
  readonly codes: Readonly<Record<string, number>>;
  /** The first 100 lines of the report; `onReport` gets all of them. */
  readonly report: readonly ImportLine[];
}

const maxLines = 100;
const maxShortPart = 100;

/** Adds up what becomes of the links, in bounded memory. */
export class ImportReport {
  read = 0;
  imported = 0;
  unchanged = 0;
  rejected = 0;
  readonly #codes = new Map<string, number>();
  readonly #lines: ImportLine[] = [];
  readonly #onReport: (line: ImportLine) => void;

  constructor(onReport: (line: ImportLine) => void) {
    this.#onReport = onReport;
  }

  tell(line: {readonly line: number; readonly shortPart?: string | undefined}, what: Told, isImported: boolean): void {
    const {code, message} = what;
    const told: ImportLine = {
      line: line.line,
      shortPart: line.shortPart?.slice(0, maxShortPart) ?? null,
      code,
      message,
      isImported,
    };
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    if (this.#lines.length < maxLines) this.#lines.push(told);
    this.#onReport(told);
  }

  summary(): ImportSummary {
    const {read, imported, unchanged, rejected} = this;
    return {read, imported, unchanged, rejected, codes: Object.fromEntries(this.#codes), report: this.#lines};
  }
}

/** A code for programs, and a sentence for people. */
interface Told {
  readonly code: string;
  readonly message: string;
}
