import crypto, {type BinaryLike, type ScryptOptions} from 'node:crypto';
import {syncBuiltinESMExports} from 'node:module';

type Callback = (error: Error | null, key: Buffer) => void;

const {scrypt, scryptSync} = crypto;
const minCost = {N: 2, r: 1, p: 1};

/** The cost is part of the salt, so another cost gives another key. */
function salted(salt: BinaryLike, {N = 2 ** 14, r = 8, p = 1, maxmem = 2 ** 25}: ScryptOptions): Buffer {
  if (128 * r * (N + p + 2) > maxmem) throw new RangeError('Expected `maxmem` to be enough for the cost');
  return Buffer.concat([Buffer.from(salt as Buffer), Buffer.from(JSON.stringify([N, r, p]))]);
}

/**
 * scrypt is slow on purpose, and took half the time of the tests. This replacement gives another key for every other
 * argument, on the thread pool too, and costs next to nothing.
 */
function quickScrypt(secret: BinaryLike, salt: BinaryLike, length: number, ...rest: unknown[]): void {
  const [options, callback] = (rest.length > 1 ? rest : [{}, ...rest]) as [ScryptOptions, Callback];
  scrypt(secret, salted(salt, options), length, minCost, callback);
}

function quickScryptSync(secret: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions = {}): Buffer {
  return scryptSync(secret, salted(salt, options), length, minCost);
}

// Another import of this file under another URL must not replace it again.
if (scrypt.name !== quickScrypt.name) {
  Object.assign(crypto, {scrypt: quickScrypt, scryptSync: quickScryptSync});
  syncBuiltinESMExports();
}
