/** All tests of SQLite with libsql, where Node.js has a client that is used instead. */
import test from 'ava';
import {nodeClient} from '../../../src/store/engines/sqlite/client.ts';

if (nodeClient()) {
  await import('../../support/store/without-node-sqlite.ts');
  await import('../../support/store/sqlite-tests.ts');
} else {
  test('libsql is the client of the other tests', (t) => {
    t.is(nodeClient(), undefined);
  });
}
