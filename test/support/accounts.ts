import {Accounts} from '../../src/accounts/accounts.ts';
import {siteKinds} from '../../src/shortener/kinds.ts';
import {Seal} from '../../src/accounts/seal.ts';
import {SiteKey} from '../../src/accounts/site-key.ts';
import {openStore} from '../../src/store/opening/open.ts';
import type {Store} from '../../src/store/port.ts';

export const noon = Date.UTC(2031, 4, 6, 12);

/** Accounts of one process. Two calls with the same records or store act as two processes. */
export function accountsOn(place: Map<string, unknown> | Store, now = (): number => noon): Accounts {
  const store = place instanceof Map ? openStore(place, {namespace: 'test'}) : place;
  const seal = new Seal(['a secret of good length']);
  return new Accounts({
    store,
    seal,
    siteKey: new SiteKey(store, seal),
    kinds: siteKinds,
    removeLinks: () => Promise.resolve(),
    now,
  });
}
