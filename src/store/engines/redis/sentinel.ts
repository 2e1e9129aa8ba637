import {Deadline} from '../../failing/deadline.ts';
import {openServer, type RedisAddress, type RedisAddresses} from './client.ts';
import type {OpenClient} from './connection.ts';

export interface SentinelAddress {
  readonly sentinels: RedisAddresses;
  readonly master: string;
  readonly database: number;
}

/**
 * Connects to the master that the sentinels name. They are asked before every connection, because a former
 * master that comes back accepts writes for a while, and these are lost when it becomes a replica.
 */
export function openMaster({sentinels, ...address}: SentinelAddress): OpenClient {
  return async (signal, onLost) => {
    const found = new AbortController();
    const questions = AbortSignal.any([signal, found.signal]);
    try {
      const masters = sentinels.map((sentinel) => masterNamedBy(sentinel, address, questions));
      const master = await Promise.any(masters);
      return await openServer(master)(signal, onLost);
    } finally {
      found.abort();
    }
  };
}

/** Asks a sentinel, and the server that it names: during a failover the two may disagree. */
async function masterNamedBy(
  sentinel: RedisAddress,
  {master, database}: Omit<SentinelAddress, 'sentinels'>,
  signal: AbortSignal,
): Promise<RedisAddress> {
  const named = await askSentinel(sentinel, ['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', master], signal);
  if (named === null) throw new Error(`A sentinel does not know the master ${master}`);
  const [host, port] = named as [string, string];
  const address = {...sentinel, host, port: Number(port), database};
  await checkMaster(() => ask(address, ['ROLE'], signal), `${host}:${port}`);
  return address;
}

/**
 * Checks the role of a server that sentinels have named.
 *
 * @param askRole sends `ROLE`
 * @throws {Error} for a replica
 */
export async function checkMaster(askRole: () => Promise<unknown>, address?: string): Promise<void> {
  const role = await askRole().catch((error: unknown) => {
    // Where the user has no permission for `ROLE`, the sentinel is trusted.
    if (isError(error, 'NOPERM')) return ['master'];
    throw error;
  });
  if (String((role as unknown[])[0]) === 'master') return;
  throw new Error(`The server${address === undefined ? '' : ` at ${address}`} is not a master yet`);
}

/** The password is that of the servers. A sentinel gets it only if it requires one. */
async function askSentinel(sentinel: RedisAddress, command: readonly string[], signal: AbortSignal): Promise<unknown> {
  try {
    return await ask({...sentinel, username: undefined, password: undefined, database: 0}, command, signal);
  } catch (error) {
    if (!isError(error, 'NOAUTH') || sentinel.password === undefined) throw error;
    return ask({...sentinel, database: 0}, command, signal);
  }
}

/** Sends one command on a connection that stays open until the signal aborts. */
async function ask(address: RedisAddress, command: readonly string[], signal: AbortSignal): Promise<unknown> {
  const client = await openServer(address)(signal, () => undefined);
  return client.send('', command, new Deadline(Infinity));
}

function isError(error: unknown, word: string): boolean {
  return error instanceof Error && error.message.startsWith(word);
}
