import {Keyv} from 'keyv';
import {type Adapter, driverOfAdapter} from './adapters.ts';
import type {ShortUrlError} from '../errors.ts';
import {codecOf} from './codec.ts';
import {driverOfString, isMemoryString} from './connection-strings.ts';
import {GuardedStore} from './guarded-store.ts';
import type {StoreOption} from './option.ts';
import type {Store} from './port.ts';

export interface StoreSettings {
  /** Stands before every key, so that several shorteners can share an engine. */
  readonly namespace: string;
  /** How long an operation may take, in milliseconds; default 2000. */
  readonly timeout?: number | undefined;
  /** Called once per outage, when it begins, also while no operation is under way. */
  readonly onOutage?: ((error: Error) => void) | undefined;
  /** Called once for each record that is left out because it cannot be read. */
  readonly onUnreadable?: ((error: ShortUrlError) => void) | undefined;
}

/**
 * Opens a store; without an option, one in memory. The engine is reached in the background: operations wait for that
 * within their deadline, and an engine that is away now is found when it comes back. Behind an adapter of the host's
 * that has an address, a connection of our own is opened; `close` closes that one and leaves the host's alone.
 *
 * @throws {TypeError} where the option is no store, or one in which links would not last; the text never repeats a
 *   connection string, which may hold a password
 */
export function openStore(option: StoreOption | undefined, settings: StoreSettings): Store {
  const {namespace, timeout = 2000, onOutage = () => undefined, onUnreadable = () => undefined} = settings;
  const onError = (error: Error): void => {
    store.lost(error);
  };
  const name = (key: string): string => `${namespace}:${key}`;
  const store = open();
  return store;

  function open(): GuardedStore {
    if (option === undefined || typeof option === 'string') {
      const driver = driverOfString(option ?? 'memory:', {timeout, onError});
      const codec = codecOf(new Keyv(), driver.keepsObjects);
      return new GuardedStore(driver, {codec, keyOf: name, timeout, onOutage, onUnreadable});
    }
    const {keyv, adapter, keyvKey} = hostStoreOf(option);
    const {driver, adapterKey} = driverOfAdapter(adapter, {timeout, onError});
    const codec = codecOf(keyv, driver.keepsObjects);
    const keyOf = (key: string): string => adapterKey(keyvKey(name(key)));
    return new GuardedStore(driver, {codec, keyOf, timeout, onOutage, onUnreadable});
  }
}

/** Whether links would be gone when the process ends. */
export function isMemory(option: StoreOption | undefined): boolean {
  if (option === undefined) return true;
  if (typeof option === 'string') return isMemoryString(option);
  return option instanceof Map || (isKeyv(option) && option.store instanceof Map);
}

interface HostStore {
  readonly keyv: Keyv;
  readonly adapter: Adapter;
  /** The key that the Keyv instance hands to its adapter. */
  readonly keyvKey: (key: string) => string;
}

function hostStoreOf(option: unknown): HostStore {
  if (isKeyv(option)) {
    const adapter = option.store as Adapter;
    refuseTimeToLive(option);
    refuseTimeToLive((adapter as {opts?: unknown}).opts);
    return {keyv: option, adapter, keyvKey: keyvKeys(option)};
  }
  if (isAdapter(option)) {
    refuseTimeToLive((option as {opts?: unknown}).opts);
    // Not `new Keyv(adapter)`: that would change the namespace of an adapter which may have other users.
    return {keyv: new Keyv(), adapter: option, keyvKey: (key) => key};
  }
  throw new TypeError(
    `Expected the store to be a connection string, a Keyv instance (version 5), a Keyv storage adapter or a Map, got ${
      option === null ? 'null' : `a value of type ${typeof option}`
    }`,
  );
}

/** By what it can do: the host may have another copy of the package. */
function isKeyv(option: unknown): option is Keyv {
  const {store, serializeData} = (option ?? {}) as {store?: unknown; serializeData?: unknown};
  return typeof serializeData === 'function' && isAdapter(store);
}

function isAdapter(option: unknown): option is Adapter {
  if (typeof option !== 'object' || option === null) return false;
  const methods = option as Record<string, unknown>;
  const isOlderKeyv = typeof methods['opts'] === 'object' && 'store' in (methods['opts'] ?? {});
  return !isOlderKeyv && ['get', 'set', 'delete', 'clear'].every((name) => typeof methods[name] === 'function');
}

function refuseTimeToLive(holder: unknown): void {
  const {ttl} = (holder ?? {}) as {ttl?: unknown};
  if (typeof ttl === 'number' && ttl > 0) {
    throw new TypeError(`Expected a store without a default ttl, got one of ${ttl} ms: links would vanish after it`);
  }
}

/** As they are now: a namespace that the host changes later would make all links unknown. */
function keyvKeys({namespace, useKeyPrefix}: Keyv): (key: string) => string {
  if (!useKeyPrefix || namespace === undefined || namespace === '') return (key) => key;
  const prefix = `${namespace}:`;
  // Keyv leaves a key alone that begins so already.
  return (key) => (key.startsWith(prefix) ? key : prefix + key);
}
