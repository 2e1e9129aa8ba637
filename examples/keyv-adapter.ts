/** A Keyv storage adapter of your own: one file per record. It is exact within one process only, so run one process. */
import {createHash, randomUUID} from 'node:crypto';
import {EventEmitter} from 'node:events';
import {mkdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {KeyvStoreAdapter} from 'keyv';
import Koa from 'koa';
import {type ShortUrl, shortUrl} from 'koa-short-url';

/** A failed operation must reject. If `get` returned undefined instead, an outage would look like a missing link. */
export class FolderAdapter extends EventEmitter implements KeyvStoreAdapter {
  readonly opts = {};
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
  }

  async get<Value>(key: string): Promise<Value | undefined> {
    try {
      return (await readFile(this.#file(key), 'utf8')) as Value;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async set(key: string, value: string): Promise<boolean> {
    await mkdir(this.#folder, {recursive: true});
    const draft = this.#file(randomUUID());
    await writeFile(draft, value, {flush: true});
    // Renaming is atomic: a concurrent read gets the old record or the new one, never a part.
    await rename(draft, this.#file(key));
    return true;
  }

  async delete(key: string): Promise<boolean> {
    try {
      await rm(this.#file(key));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async clear(): Promise<void> {
    await rm(this.#folder, {recursive: true, force: true});
  }

  /** Keys are case-sensitive, and file names on some systems are not, so use a hash. */
  #file(key: string): string {
    return join(this.#folder, createHash('sha256').update(key).digest('hex'));
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

export function buildApp({folder, secret}: {folder: string; secret: string}): {app: Koa; shortener: ShortUrl} {
  const app = new Koa();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: new FolderAdapter(folder), secret});
  app.use(shortener);
  return {app, shortener};
}
