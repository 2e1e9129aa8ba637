import type {Keyv, KeyvStoreAdapter} from 'keyv';
import type {Store} from './port.ts';

/** Where links are kept: a connection string, a Keyv instance, a Keyv storage adapter, or a Map. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Keyv's own types for what it stores
export type StoreOption = string | Keyv<any> | KeyvStoreAdapter | Map<any, any>;

export interface StoreSettings {
  /** Stands before every key, so that several shorteners can share an engine. */
  readonly namespace: string;
  /** How long an operation may take, in milliseconds; default 2000. */
  readonly timeout?: number | undefined;
  /** Hears what the engine's client reports between operations, such as a lost connection. */
  readonly onError?: ((error: Error) => void) | undefined;
}

export function openStore(_option: StoreOption | undefined, _settings: StoreSettings): Store {
  throw new Error('not written yet');
}

/** Whether links would be gone when the process ends. */
export function isMemory(_option: StoreOption | undefined): boolean {
  throw new Error('not written yet');
}
