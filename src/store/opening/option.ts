import type {Keyv, KeyvStoreAdapter} from 'keyv';

/** The store of the links: a connection string, a Keyv instance, a Keyv storage adapter, or a Map. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a host's Map may be of any type, as in Keyv
export type StoreOption = string | Keyv | KeyvStoreAdapter | Map<any, any>;

/** The adapters whose limits are known: the host was warned of them, or uses them in a test only. */
export const knownAdapters = new WeakSet<object>();
