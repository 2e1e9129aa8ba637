import crypto, {createHash, webcrypto} from 'node:crypto';
import {syncBuiltinESMExports} from 'node:module';
import {nanoid} from 'nanoid';

/** The random bytes that nanoid keeps after a first use with 64 characters. Asking for all of them makes it take new ones. */
const poolSize = 64 * 128;

const {randomFillSync} = crypto;
let seed: string | undefined;
let blocks = 0;

/**
 * The same random bytes follow for the same text, whatever has taken random bytes before. Without a text they are random
 * again.
 */
export function reseed(text: string | undefined): void {
  seed = text;
  blocks = 0;
  nanoid(poolSize);
}

function fill<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
  if (seed === undefined) return randomFillSync(bytes);
  blocks += 1;
  bytes.set(createHash('shake256', {outputLength: bytes.length}).update(`${seed} ${blocks}`).digest());
  return bytes;
}

// Importing this file replaces the random bytes of the whole process. Only a script may do so.
Object.assign(webcrypto, {getRandomValues: fill});
Object.assign(crypto, {
  randomBytes: (size: number) => fill(Buffer.alloc(size)),
  randomInt: (max: number) => fill(Buffer.alloc(4)).readUInt32BE() % max,
});
syncBuiltinESMExports();
nanoid(64);
