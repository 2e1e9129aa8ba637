import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects garbage, so that the heap has only what is in use. */
export const collectGarbage = runInNewContext('gc') as () => void;
