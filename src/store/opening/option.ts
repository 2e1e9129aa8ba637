import type {Keyv, KeyvStoreAdapter} from 'keyv';
import type {Rule} from '../../host/describe.ts';

/** The store of the links: a connection string, a Keyv instance, a Keyv storage adapter, or a Map. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a host's Map may be of any type, as in Keyv
export type StoreOption = string | Keyv | KeyvStoreAdapter | Map<any, any>;

/** The default of the option `namespace`. */
export const defaultNamespace = 'shorturl';

/** What the option `namespace` must be. */
export const aNamespace: Rule = {
  expected: '1 to 32 of A-Z a-z 0-9 . _ -',
  holds: (value) => typeof value === 'string' && /^[\w.-]{1,32}$/.test(value),
};

/** The adapters whose limits are known: the host was warned of them, or uses them in a test only. */
export const knownAdapters = new WeakSet<object>();
