import {syncBuiltinESMExports} from 'node:module';
import {mock} from 'node:test';
import type {Owner} from './owner.ts';

/** Stops timeouts, also those that the package has taken when it was loaded, until their owner is done. */
export function stopTimeouts(owner: Owner): typeof mock.timers {
  mock.timers.enable({apis: ['setTimeout']});
  syncBuiltinESMExports();
  owner.teardown(() => {
    mock.timers.reset();
    syncBuiltinESMExports();
  });
  return mock.timers;
}
