import {ShortUrlError} from '../../errors.ts';
import type {Arrival} from './arrivals.ts';
import type {SourceLine} from '../../tables/source-link.ts';

/** A link that was rejected or changed. */
export interface ImportLine {
  /** The line in a text file, or the number of the link in any other source; from 1. */
  readonly line: number;
  /** The short part in the source, at most 100 characters; null if there is none. */
  readonly shortPart: string | null;
  /** The reason for programs. docs/importing.md lists the codes. */
  readonly code: string;
  /** The reason for people. */
  readonly message: string;
  /** True if the link was imported with a change, false if it was rejected. */
  readonly isImported: boolean;
}

/** The result of an import. */
export interface ImportSummary {
  /** Links in the source, including those that cannot be parsed. */
  readonly read: number;
  readonly imported: number;
  /** Links that the account already had with the same long URL. */
  readonly unchanged: number;
  readonly rejected: number;
  /**
   * The names of columns, or of members of JSON, that have values and are not imported, at most 50. Look through them for
   * what your links need.
   */
  readonly ignoredColumns: readonly string[];
  /** The number of report lines by code. */
  readonly codes: Readonly<Record<string, number>>;
  /** The first 100 lines of the report; `onReport` gets all of them. */
  readonly report: readonly ImportLine[];
}

/** Codes of what is told of a domain. */
export type ReportCode = 'domain_changed';

type Place = Pick<SourceLine, 'line' | 'shortPart'>;
type Reason = Pick<ImportLine, 'code' | 'message'>;

/** How many other domains are named. */
const maxDomains = 100;
const maxLines = 100;
const maxShortPart = 100;
const maxIgnored = 50;
/** In characters. */
const maxName = 60;

/** Collects the results for all links in bounded memory. */
export class ImportReport {
  read = 0;
  imported = 0;
  unchanged = 0;
  rejected = 0;
  readonly #ignored = new Set<string>();
  readonly #domains = new Set<string>();
  readonly #codes = new Map<string, number>();
  readonly #lines: ImportLine[] = [];
  readonly #onReport: (line: ImportLine) => void;

  constructor(onReport: (line: ImportLine) => void) {
    this.#onReport = onReport;
  }

  /** Notes a column or a member that is not imported. */
  ignore(name: string): void {
    if (this.#ignored.size < maxIgnored) this.#ignored.add(name.trim().slice(0, maxName));
  }

  /** Names a domain, once, whose links move to another one. */
  move(line: Place, from: string, to: string): void {
    const domain = from.toLowerCase();
    if (this.#domains.has(domain) || this.#domains.size >= maxDomains) return;
    this.#domains.add(domain);
    const shown = domain.replaceAll(/[^\p{L}\p{N}.:-]/gu, '').slice(0, maxShortPart);
    const message =
      `The links of ${shown} are on ${to} now. For their short URLs to work, make ${shown} a domain of your site ` +
      '(baseDomains, --base-domains) before an import.';
    this.#tell(line, {code: 'domain_changed' satisfies ReportCode, message}, true);
  }

  reject(line: Place, reason: Reason): void {
    this.rejected += 1;
    this.#tell(line, reason, false);
  }

  add(link: Place, {result, notes}: Arrival = {notes: []}): void {
    if (result instanceof ShortUrlError) this.reject(link, result);
    else if (result === 'unchanged') this.unchanged += 1;
    else {
      this.imported += 1;
      for (const note of notes) this.#tell(link, note, true);
    }
  }

  #tell({line, shortPart}: Place, {code, message}: Reason, isImported: boolean): void {
    const told = {line, shortPart: shortPart?.slice(0, maxShortPart) ?? null, code, message, isImported};
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    if (this.#lines.length < maxLines) this.#lines.push(told);
    this.#onReport(told);
  }

  summary(): ImportSummary {
    const {read, imported, unchanged, rejected} = this;
    const codes = Object.fromEntries(this.#codes);
    return {read, imported, unchanged, rejected, ignoredColumns: Array.from(this.#ignored), codes, report: this.#lines};
  }
}
