import {defaultPool} from './pool.ts';

/** How many connections of a pool of the host are used at once, so that some are left for the site. */
export function maxOfHost(max: unknown): number {
  return typeof max === 'number' && max > 0 ? Math.min(max, defaultPool) : defaultPool;
}

/** What a caller waits for until it gets a connection. */
export const noConnection = Object.assign(new Error('The pool gave no connection'), {code: 'POOL_BUSY'});
