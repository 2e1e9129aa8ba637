/** Connections per process. A server accepts about a hundred from all processes of a site, and operations are short. */
const defaultPool = 5;

const maxPool = 100;

/** The parameter of a connection string, for messages. */
export const poolParameter = `pool (1 to ${maxPool} connections)`;

/**
 * Takes the parameter `pool` from those of a connection string, and returns how many connections it allows.
 *
 * @throws {TypeError} if it is malformed
 */
export function takePool(parameters: URLSearchParams): number {
  const [pool, ...others] = parameters.getAll('pool');
  parameters.delete('pool');
  if (pool === undefined) return defaultPool;
  const connections = /^[1-9]\d{0,2}$/.test(pool) ? Number(pool) : Infinity;
  if (connections > maxPool || others.length > 0) throw new TypeError('Malformed pool');
  return connections;
}
