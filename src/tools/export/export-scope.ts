import type {LiveAccount} from '../../accounts/record.ts';
import type {ToolStore} from '../../store/port.ts';
import type {OnProgress} from '../progress.ts';

/**
 * The counts of a running export.
 */
export interface ExportTally {
  accounts: number;
  links: number;
  records: number;
  counters: number;
}

/**
 * The input of an export.
 */
export interface ExportScope {
  readonly store: ToolStore;
  /** The only account; undefined for all of them. */
  readonly account: LiveAccount | undefined;
  readonly tally: ExportTally;
  readonly onProgress: OnProgress;
}
