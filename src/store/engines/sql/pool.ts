import {ConnectionStringError} from '../../connection-string.ts';

/** Connections per process. A server accepts about a hundred from all processes of a site, and operations are short. */
export const defaultPool = 5;

const maxPool = 100;

/**
 * Takes the parameter `pool`, which Prisma calls `connection_limit`, from those of a connection string, and returns how many
 * connections it allows.
 *
 * @throws {ConnectionStringError} if it is malformed
 */
export function takePool(parameters: URLSearchParams): number {
  const [pool, ...others] = ['pool', 'connection_limit'].flatMap((name) => parameters.getAll(name));
  for (const name of ['pool', 'connection_limit']) parameters.delete(name);
  if (pool === undefined) return defaultPool;
  const connections = /^[1-9]\d{0,2}$/.test(pool) ? Number(pool) : Infinity;
  if (connections <= maxPool && others.length === 0) return connections;
  throw new ConnectionStringError(
    `Expected \`pool\` in the connection string of the store to be 1 to ${maxPool} connections.`,
  );
}

/** How many connections of a pool of the host are used at once, so that some are left for the site. */
export function maxOfHost(max: unknown): number {
  return typeof max === 'number' && max > 0 ? Math.min(max, defaultPool) : defaultPool;
}

/** What a caller waits for until it gets a connection. */
export const noConnection = Object.assign(new Error('The pool gave no connection'), {code: 'POOL_BUSY'});
