import {randomBytes} from 'node:crypto';

/** Begins every name that this run creates on a shared engine, so that leftovers can be found. */
export const run = `test-${randomBytes(6).toString('hex')}`;
