import {existsSync} from 'node:fs';
import {ShortUrlError} from '../errors.ts';
import {packing} from '../link/packing.ts';
import {isMemory, openStore, sqliteFileOf} from '../store/opening/open.ts';
import {defaultNamespace, type StoreOption} from '../store/opening/option.ts';
import type {ToolStore} from '../store/port.ts';
import {ToolError} from './tool-error.ts';

/** How long an operation may take, in milliseconds. Tools move large batches, and no visitor waits for them. */
export const defaultTimeout = 30_000;

/** An open store, and the unreadable records in it. */
export interface OpenedStore {
  readonly store: ToolStore;
  /** Errors of records that cannot be parsed. A tool leaves these records out and reports their number. */
  readonly unreadable: readonly ShortUrlError[];
}

/** The options that every tool has. */
export interface ToolOptions {
  /**
   * The namespace of the store, by default that of `shortUrl`; for a copy, that of the source.
   */
  readonly namespace?: string | undefined;
  /**
   * How long one operation of a store may take, in milliseconds.
   * @default 30000
   */
  readonly storeTimeout?: number | undefined;
}

interface OpenSettings extends ToolOptions {
  /** Whether a missing store is an error, because the tool only reads. */
  readonly mustExist: boolean;
  /** Whether short parts ignore case, if the tool knows; by default as in the store. */
  readonly ignoresCase?: boolean | undefined;
}

/**
 * Opens a store for a tool.
 *
 * @throws TypeError for what is not a store, or is a store in memory
 * @throws ToolError `nothing_there` for a file that does not exist
 */
export function openTool(
  option: StoreOption,
  {namespace, storeTimeout, mustExist, ignoresCase}: OpenSettings,
): OpenedStore {
  checkPersistent(option);
  const file = sqliteFileOf(option);
  if (mustExist && file !== undefined && !existsSync(file)) {
    throw new ToolError('nothing_there', `The file ${file} does not exist`);
  }
  const unreadable: ShortUrlError[] = [];
  const store = openStore(option, {
    namespace: namespace ?? defaultNamespace,
    packing: ignoresCase === undefined ? packing : {...packing, ignoresCase},
    timeout: storeTimeout ?? defaultTimeout,
    onUnreadable: (error) => unreadable.push(error),
  });
  return {store, unreadable};
}

/** @throws TypeError for no store, or a connection string of one in memory */
export function checkPersistent(option: StoreOption): void {
  if ((option as unknown) === undefined || option === '') throw new TypeError('Expected a store, got none');
  if (typeof option === 'string' && isMemory(option)) {
    throw new TypeError('Expected a persistent store, got `memory:`');
  }
}
