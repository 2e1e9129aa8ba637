import crypto from 'node:crypto';
import {syncBuiltinESMExports} from 'node:module';
import {promisify} from 'node:util';

type Callback = (error: Error | null, key?: Buffer) => void;

const {scrypt} = crypto;
const derive = promisify<string, string, number, Buffer>(scrypt);
const keys = new Map<string, Promise<Buffer>>();

/**
 * Every site that a test starts derives a key from its secret, nearly always the same one, and that is slow by intent:
 * half the time of the tests. It gives the same key each time, so once in a process is enough. Hashes of passwords, with
 * their options, are made as ever.
 */
function deriveOnce(secret: string, salt: string, length: number, ...rest: unknown[]): void {
  if (rest.length > 1) {
    Reflect.apply(scrypt, crypto, [secret, salt, length, ...rest]);
    return;
  }
  const name = JSON.stringify([secret, salt, length]);
  const key = keys.get(name) ?? derive(secret, salt, length);
  keys.set(name, key);
  const callback = rest[0] as Callback;
  key.then((derived) => {
    callback(null, derived);
  }, callback);
}

crypto.scrypt = deriveOnce as typeof scrypt;
syncBuiltinESMExports();
