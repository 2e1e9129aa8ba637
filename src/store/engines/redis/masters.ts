import {createHash} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';

/** A server with keys: the only server, or a master of a cluster. */
export interface RedisMaster {
  readonly name: string;
  send(command: readonly string[]): Promise<unknown>;
}

/** The clock of a server, in milliseconds since the epoch. */
export async function clockOf(master: RedisMaster): Promise<number> {
  const [seconds, micros] = (await master.send(['TIME'])) as [unknown, unknown];
  return Number(seconds) * 1000 + Number(micros) / 1000;
}

export interface RedisMasters {
  readonly masters: readonly RedisMaster[];
  readonly isCluster: boolean;
  /** It is replaced after a lost connection. A cursor of `SCAN` is worthless on a server that was restarted or replaced. */
  readonly client: object;
  /** Opens another client, which asks for the masters again. */
  readonly renew: () => void;
}

/** How many keys a server scans for one reply. */
const keysAtOnce = 1000;

/** How often a listing begins again before it fails: for a minute if slots are moved one after another. */
const maxAttempts = 120;

const allSlots = 16_384;

/** Where a scan of the masters, one after another, has come to. */
interface Position {
  readonly client: object;
  /** The digest of the slots at the beginning. */
  readonly slots: string;
  /** The current master, in the order of names, and its cursor. */
  readonly index: number;
  readonly at: string;
}

/**
 * Lists keys, master by master. Each master lists its own keys, so a key whose slot moves to a master that was scanned
 * before would be missing. A listing during which a slot may have moved begins again.
 *
 * @returns a function that returns the next keys; undefined after the last ones. It waits for `pause` milliseconds before
 *   the listing begins again, and throws an error with the code `SLOTS_MOVING` if slots have moved during every attempt
 */
export function scanOf(type: 'string' | 'hash', prefix: string) {
  const pattern = `${prefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
  let position: Position | 'end' | undefined;
  let attempts = 1;

  async function again(keys: readonly string[], pause: number): Promise<readonly string[]> {
    if (attempts === maxAttempts) {
      const message = 'Slots of the cluster were moving during every attempt to list the keys, or have no master';
      throw Object.assign(new Error(message), {code: 'SLOTS_MOVING'});
    }
    attempts += 1;
    position = undefined;
    await delay(pause);
    return keys;
  }

  return async (servers: RedisMasters, pause: number): Promise<readonly string[] | undefined> => {
    if (position === 'end') return undefined;
    const {client} = servers;
    position ??= await beginning(servers);
    const masters = [...servers.masters].sort((one, other) => (one.name < other.name ? -1 : 1));
    const master = position?.client === client ? masters[position.index] : undefined;
    if (position === undefined || master === undefined) return again([], pause);
    const {slots, index} = position;
    const command = ['SCAN', position.at, 'MATCH', pattern, 'COUNT', String(keysAtOnce), 'TYPE', type];
    const [at, keys] = (await master.send(command)) as [string, string[]];
    if (at !== '0') position = {client, slots, index, at};
    else if ((await settledSlots(servers)) !== slots) return again(keys, pause);
    else position = index + 1 < masters.length ? {client, slots, index: index + 1, at} : 'end';
    return keys;
  };
}

async function beginning(servers: RedisMasters): Promise<Position | undefined> {
  const slots = await settledSlots(servers);
  return slots === undefined ? undefined : {client: servers.client, slots, index: 0, at: '0'};
}

/**
 * A digest of the slots of all masters, by what each says of its own; undefined if a slot is moving, or if not exactly one
 * of these masters has it. With its slots a master gives its epoch, which rises when it gets a slot. So the digest also
 * differs if a slot has moved away and come back.
 */
async function settledSlots({masters, isCluster, renew}: RedisMasters): Promise<string | undefined> {
  if (!isCluster) return '';
  const nodes = await Promise.all(
    masters.map(async (master) => {
      const own = /^.*\bmyself\b.*$/m.exec(String(await master.send(['CLUSTER', 'NODES'])))?.[0] ?? '';
      // The id, address, flags, master, ping, pong, epoch, state, and then the slots.
      const [id = '', , , , , , epoch, , ...ranges] = own.trim().split(' ');
      return {id, epoch, ranges};
    }),
  );
  const ranges = nodes.flatMap((node) => node.ranges);
  // A slot that is moving is in brackets.
  if (ranges.some((range) => range.startsWith('['))) return undefined;
  if (ranges.reduce((sum, range) => sum + sizeOf(range), 0) !== allSlots) {
    // The client may not know a new master.
    renew();
    return undefined;
  }
  nodes.sort((one, other) => (one.id < other.id ? -1 : 1));
  return createHash('sha1').update(JSON.stringify(nodes)).digest('base64url');
}

/** The number of slots in `0-5460` or `7`. */
function sizeOf(range: string): number {
  const [first = NaN, last = first] = range.split('-').map(Number);
  return last - first + 1;
}
