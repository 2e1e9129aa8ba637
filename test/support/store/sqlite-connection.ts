import type {ExecutionContext} from 'ava';
import {anyClient, type Connection} from '../../../src/store/engines/sqlite/client.ts';

const {open} = await anyClient();

/**
 * Opens another connection to a file that this process has open. It has the client of the program, because a process that
 * uses two of them drops the locks of one when it closes a connection of the other.
 */
export function connectTo(path: string): Connection {
  return open(path);
}

/** Another connection, which holds the lock of the file until it commits. */
export function lockedBy(t: ExecutionContext, path: string): Connection {
  const other = connectTo(path);
  t.teardown(() => other.close());
  other.exec('begin immediate');
  return other;
}
