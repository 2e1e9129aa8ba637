import {Accounts} from '../../src/accounts/accounts.ts';
import {Seal} from '../../src/accounts/seal.ts';
import {openStore} from '../../src/store/opening/open.ts';
import type {Store} from '../../src/store/port.ts';

export const noon = Date.UTC(2031, 4, 6, 12);

/** Accounts of one process. Two calls with the same records or store act as two processes. */
export function accountsOn(place: Map<string, unknown> | Store, now = (): number => noon): Accounts {
  const store = place instanceof Map ? openStore(place, {namespace: 'test'}) : place;
  return new Accounts(store, new Seal(['a secret of good length']), () => Promise.resolve(), now);
}
