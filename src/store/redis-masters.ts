import type {KeyPart} from './port.ts';

/** One server that holds keys: the only one, or a master of a cluster. */
export interface RedisMaster {
  /** Tells it from the other masters. */
  readonly name: string;
  /** Sends a command to this very server. Commands carry keys as they are stored. */
  send(command: readonly string[]): Promise<unknown>;
  /** What the client puts before every key; nothing by default. */
  readonly keyPrefix?: string | undefined;
}

export interface Scan {
  readonly type: 'string' | 'hash';
  readonly prefix: string;
  readonly cursor: string | undefined;
}

/** How many keys a server looks at for one reply. */
const keysAtOnce = 1000;

/** Where a scan stands: the masters in their order, the one that is being scanned, and its own cursor. */
interface Place {
  readonly names: readonly string[];
  readonly index: number;
  readonly at: string;
}

/**
 * Lists keys, master by master.
 *
 * @throws Error if the masters are not those with which the scan began: one that took over may hold keys that were
 *   neither given before nor would be given any more
 */
export async function scanMasters(masters: readonly RedisMaster[], {type, prefix, cursor}: Scan): Promise<KeyPart> {
  const sorted = [...masters].sort((one, other) => (one.name < other.name ? -1 : 1));
  const names = sorted.map(({name}) => name);
  const place: Place = cursor === undefined ? {names, index: 0, at: '0'} : (JSON.parse(cursor) as Place);
  const master = sorted[place.index];
  if (master === undefined || names.join() !== place.names.join()) {
    throw new Error('The masters of the cluster have changed while the keys were listed: list them anew');
  }
  const {keyPrefix = ''} = master;
  const pattern = `${(keyPrefix + prefix).replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
  const command = ['SCAN', place.at, 'MATCH', pattern, 'COUNT', String(keysAtOnce), 'TYPE', type];
  const [at, found] = (await master.send(command)) as [string, string[]];
  return {keys: found.map((key) => key.slice(keyPrefix.length)), next: nextPlace(place, at)};
}

function nextPlace({names, index}: Place, at: string): string | undefined {
  if (at !== '0') return JSON.stringify({names, index, at});
  return index + 1 < names.length ? JSON.stringify({names, index: index + 1, at}) : undefined;
}
