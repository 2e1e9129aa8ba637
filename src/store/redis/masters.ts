import type {KeyPart} from '../port.ts';

/** A server with keys: the only server, or a master of a cluster. */
export interface RedisMaster {
  /** Identifies the master. */
  readonly name: string;
  /** Sends a command to this server. */
  send(command: readonly string[]): Promise<unknown>;
}

export interface Scan {
  readonly type: 'string' | 'hash';
  readonly prefix: string;
  readonly cursor: string | undefined;
}

/** How many keys a server scans for one reply. */
const keysAtOnce = 1000;

/** The position of a scan: the masters in order, the current master, and its cursor. */
interface Position {
  readonly names: readonly string[];
  readonly index: number;
  readonly at: string;
}

/**
 * Lists keys, master by master.
 *
 * @throws Error if the masters have changed since the scan began, because keys of a new master might be missing in the
 *   result
 */
export async function scanMasters(masters: readonly RedisMaster[], {type, prefix, cursor}: Scan): Promise<KeyPart> {
  const sorted = [...masters].sort((one, other) => (one.name < other.name ? -1 : 1));
  const names = sorted.map(({name}) => name);
  const position: Position = cursor === undefined ? {names, index: 0, at: '0'} : (JSON.parse(cursor) as Position);
  const master = sorted[position.index];
  if (master === undefined || names.join() !== position.names.join()) {
    throw new Error('The masters of the cluster have changed while the keys were listed: list them again');
  }
  const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
  const command = ['SCAN', position.at, 'MATCH', pattern, 'COUNT', String(keysAtOnce), 'TYPE', type];
  const [at, keys] = (await master.send(command)) as [string, string[]];
  return {keys, next: cursorAfter(position, at)};
}

function cursorAfter({names, index}: Position, at: string): string | undefined {
  if (at !== '0') return JSON.stringify({names, index, at});
  return index + 1 < names.length ? JSON.stringify({names, index: index + 1, at}) : undefined;
}
