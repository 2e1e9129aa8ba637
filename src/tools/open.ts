import {existsSync} from 'node:fs';
import {ShortUrlError} from '../errors.ts';
import {forms} from '../links/link-form.ts';
import {isMemory, openStore, sqliteFileOf} from '../store/open.ts';
import type {StoreOption} from '../store/option.ts';
import type {ToolStore} from '../store/port.ts';
import {ToolError} from './tool-error.ts';

/** How long an operation may take, in milliseconds. Tools move much at once, and nobody waits for an answer. */
const defaultTimeout = 30_000;

/** A store that a tool works with, and what it met in it. */
export interface OpenedStore {
  readonly store: ToolStore;
  /** Records that cannot be read; a tool leaves them out and says so. */
  readonly unreadable: readonly ShortUrlError[];
}

export interface OpenSettings {
  readonly namespace?: string | undefined;
  /** Milliseconds. */
  readonly storeTimeout?: number | undefined;
  /** Whether the store is only read from, so that one that is not there is a mistake. */
  readonly mustExist: boolean;
}

/**
 * Opens a store for a tool.
 *
 * @throws TypeError for an option that is no store, or one that ends with the process
 * @throws ToolError `nothing_there` for a file that does not exist
 */
export function openTool(option: StoreOption, {namespace, storeTimeout, mustExist}: OpenSettings): OpenedStore {
  checkNamespace(namespace);
  if ((option as unknown) === undefined || option === '') throw new TypeError('Expected a store, got none');
  if (typeof option === 'string') {
    if (isMemory(option)) throw new TypeError('Expected a store that lasts: `memory:` ends with the process');
    const file = sqliteFileOf(option);
    if (mustExist && file !== undefined && !existsSync(file)) {
      throw new ToolError('nothing_there', `There is no file ${file}`);
    }
  }
  const unreadable: ShortUrlError[] = [];
  const store = openStore(option, {
    namespace: namespace ?? 'shorturl',
    forms,
    timeout: storeTimeout ?? defaultTimeout,
    onUnreadable: (error) => unreadable.push(error),
  });
  return {store, unreadable};
}

function checkNamespace(namespace: unknown): void {
  if (namespace === undefined || (typeof namespace === 'string' && /^[\w.-]{1,32}$/.test(namespace))) return;
  throw new TypeError('Expected `namespace` to be 1 to 32 of A-Z a-z 0-9 . _ -');
}
