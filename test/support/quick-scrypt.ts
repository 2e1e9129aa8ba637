import crypto, {type BinaryLike, type ScryptOptions} from 'node:crypto';
import {syncBuiltinESMExports} from 'node:module';

type Callback = (error: Error | null, key: Buffer) => void;

const {scrypt, scryptSync} = crypto;
const least = {N: 2, r: 1, p: 1};

/** The cost goes into the salt, so that another one gives another key, as it ought to. */
function salted(salt: BinaryLike, {N = 2 ** 14, r = 8, p = 1, maxmem = 2 ** 25}: ScryptOptions): Buffer {
  if (128 * r * (N + p + 2) > maxmem) throw new RangeError('Expected `maxmem` to be enough for the cost');
  return Buffer.concat([Buffer.from(salt as Buffer), Buffer.from(JSON.stringify([N, r, p]))]);
}

/**
 * scrypt is slow by intent, and takes half the time of the tests. This one gives a different key for everything that
 * scrypt would give a different one for, on the thread pool as well, and costs next to nothing.
 */
function quickScrypt(secret: BinaryLike, salt: BinaryLike, length: number, ...rest: unknown[]): void {
  const [options, callback] = (rest.length > 1 ? rest : [{}, ...rest]) as [ScryptOptions, Callback];
  scrypt(secret, salted(salt, options), length, least, callback);
}

function quickScryptSync(secret: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions = {}): Buffer {
  return scryptSync(secret, salted(salt, options), length, least);
}

// Stryker preloads this file, and test files import it again under another URL.
if (scrypt.name !== quickScrypt.name) {
  Object.assign(crypto, {scrypt: quickScrypt, scryptSync: quickScryptSync});
  syncBuiltinESMExports();
}
