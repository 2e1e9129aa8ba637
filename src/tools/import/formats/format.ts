import type {SourceLine} from './source-link.ts';
import type {TimeZone} from './moments.ts';

export interface FormatSettings {
  /** The time zone of dates without one. */
  readonly zone: TimeZone;
  /** The table of a dump; by default `url` with any prefix. */
  readonly table: string | undefined;
  /** The path before the short parts of a domain, such as `/s`; undefined for a domain that the site does not have. */
  readonly pathOf: (domain: string) => string | undefined;
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** Called with the name of a column or a member that has values and is not imported, at least once. */
  readonly onIgnored: (name: string) => void;
}

/** Reads the lines of a file, in bounded memory. */
export type ReadFormat = (content: AsyncGenerator<string>, settings: FormatSettings) => AsyncGenerator<SourceLine>;
