import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';

setFlagsFromString('--expose-gc');

/**
 * Collects garbage: all of it, or that of the young generation.
 *
 * Called before a server gets its first requests. If a collection fell into these, nearly all that they have allocated would
 * be in use, and V8 would allocate the like as long-lived from then on. A request then took up to three times the CPU time
 * for as long as the process ran, in every third process that had created links before.
 */
export const collectGarbage = runInNewContext('gc') as (options?: {type: 'minor'}) => void;
