import {Keyv} from 'keyv';
import {describe} from '../../values/describe.ts';
import {requireNode} from './node-version.ts';
import {codecOf} from '../codec.ts';
import type {Driver, DriverSettings} from '../driver.ts';
import {Deadline} from '../failing/deadline.ts';
import {addressOf, operationFailure} from '../failing/failure.ts';
import {type LayerSettings, LayeredStore} from '../layers/layered-store.ts';
import {type Adapter, driverOfAdapter, driverOfString} from './engines.ts';
import {driverOfHost, hostClients} from './host.ts';
import {defaultTimeout, type StoreOption} from './option.ts';
import type {ToolStore} from '../port.ts';
import {sqlitePath} from '../engines/sqlite/open.ts';

export interface StoreSettings extends LayerSettings {
  /** The prefix of every key, so that several shorteners can share an engine. */
  readonly namespace: string;
}

/**
 * Opens a store; without an option, one in memory. It connects in the background. Operations wait for the connection
 * until their deadline, and an engine that is down is found when it is back. `close` closes the connections of the store,
 * and not what the host has opened.
 *
 * @throws {TypeError} for an option that is not a store, or in which links would not last; the message never repeats
 *   a connection string, which may have a password
 */
export function openStore(option: StoreOption = 'memory:', settings: StoreSettings): ToolStore {
  requireNode();
  const {namespace, packing, timeout = defaultTimeout} = settings;
  const onError = (error: Error): void => {
    store.lost(error);
  };
  const {driver, keyv, isOurs} = opened(option, {timeout, onError});
  const {keyPrefix = ''} = driver;
  const keyvKey = keyvKeys(keyv);
  const store = new LayeredStore(driver, {
    ...settings,
    timeout,
    codec: codecOf(keyv, packing, isOurs),
    // `join` makes flat strings, which Maps find faster than strings of several parts.
    keyOf: (key) => [keyPrefix, keyvKey([namespace, key].join(':'))].join(''),
    address: typeof option === 'string' ? addressOf(option) : undefined,
  });
  return store;
}

/**
 * The statements that create the tables which a store lacks. It runs none.
 *
 * @param timeout in milliseconds
 * @returns undefined for a store without tables
 * @throws TypeError as `openStore` does; ShortUrlError `store_unavailable`
 */
export async function planStore(option: StoreOption, timeout: number): Promise<readonly string[] | undefined> {
  requireNode();
  const {driver} = opened(option, {timeout, onError: () => undefined});
  try {
    const deadline = new Deadline(timeout);
    return driver.plan && (await deadline.bound(driver.plan(deadline)));
  } catch (error) {
    throw operationFailure(error, typeof option === 'string' ? addressOf(option) : undefined);
  } finally {
    await driver.close();
  }
}

/** Whether the links are lost when the process ends. */
export function isMemory(option: StoreOption | undefined): boolean {
  if (typeof option === 'string') return /^(memory:|sqlite:(\/\/)?:memory:$)/i.test(option);
  return option === undefined || option instanceof Map || (isKeyv(option) && option.store instanceof Map);
}

/** The file of an embedded store; undefined for any other. */
export function sqliteFileOf(option: StoreOption): string | undefined {
  return typeof option === 'string' && /^sqlite:/i.test(option) ? sqlitePath(option) : undefined;
}

interface Opened {
  readonly driver: Driver;
  /** Encodes keys and records. */
  readonly keyv: Keyv;
  /** Whether only this package reads the records. */
  readonly isOurs: boolean;
}

function opened(option: unknown, settings: DriverSettings): Opened {
  // `new Keyv(adapter)` would change the namespace of an adapter that may have other users.
  const plain = new Keyv({useKeyPrefix: false});
  if (typeof option === 'string') return {driver: driverOfString(option, settings), keyv: plain, isOurs: true};
  const host = driverOfHost(option, settings);
  if (host !== undefined) return {driver: host, keyv: plain, isOurs: true};
  const adapter: unknown = isKeyv(option) ? option.store : option;
  if (!isAdapter(adapter)) {
    throw new TypeError(
      `Expected the store to be a connection string, ${hostClients}, a Keyv instance (version 5 or 6), a Keyv storage adapter or a Map, got ${describe(option, true)}`,
    );
  }
  refuseTimeToLive(option);
  refuseTimeToLive((adapter as {opts?: unknown}).opts);
  return {driver: driverOfAdapter(adapter), keyv: isKeyv(option) ? option : plain, isOurs: false};
}

/** Checks the methods, because the host may have another copy of the package. */
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
    throw new TypeError(`Expected a store without a default ttl, got ${ttl} ms, after which links would be lost`);
  }
}

/** Reads the namespace once. If the host changed it later, all links would be lost. */
function keyvKeys({namespace, useKeyPrefix}: Keyv): (key: string) => string {
  if (!useKeyPrefix || namespace === undefined || namespace === '') return (key) => key;
  const prefix = `${namespace}:`;
  // Keyv adds no prefix to a key that already has it.
  return (key) => (key.startsWith(prefix) ? key : prefix + key);
}
