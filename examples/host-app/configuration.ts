import {randomBytes} from 'node:crypto';
import {linkSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** The settings from the environment. `README.md` beside this file explains each variable. */
export interface Configuration {
  readonly port: number;
  /** Undefined means `http://localhost:` and the port of the server. */
  readonly baseUrl: string | undefined;
  readonly baseDomains: string[];
  readonly store: string;
  readonly secret: string;
  /** Whether all requests come through a proxy that sets `X-Forwarded-For`, `-Host` and `-Proto`. */
  readonly proxy: boolean;
  /** The email addresses of the users who may find and block every link. */
  readonly operators: string[];
}

/** The folder for the store and the secret if the environment names none. Git ignores it. */
const defaultDirectory = fileURLToPath(new URL('data', import.meta.url));

/** @throws Error with a message for the operator if a value is invalid */
export function readConfiguration(environment: NodeJS.ProcessEnv, dataDirectory = defaultDirectory): Configuration {
  const value = (name: string): string | undefined => {
    const text = environment[name]?.trim();
    return text === '' ? undefined : text;
  };
  const store = value('STORE') ?? defaultStore(dataDirectory);
  return {
    port: parsePort(value('PORT') ?? '3000'),
    baseUrl: value('BASE_URL'),
    baseDomains: listIn(value('BASE_DOMAINS')),
    store,
    secret: value('SHORT_URL_SECRET') ?? secretFor(store, environment, dataDirectory),
    proxy: value('PROXY') === '1',
    operators: listIn(value('OPERATORS')?.toLowerCase()),
  };
}

function listIn(text = ''): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== '');
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) throw new Error(`Expected PORT to be 0 to 65535, got ${text}`);
  return port;
}

function defaultStore(dataDirectory: string): string {
  makePrivate(dataDirectory);
  return `sqlite:${join(dataDirectory, 'site.db')}`;
}

function secretFor(store: string, environment: NodeJS.ProcessEnv, dataDirectory: string): string {
  if (environment['NODE_ENV'] === 'production') {
    throw new Error(
      'Expected SHORT_URL_SECRET to be set in production: at least 32 random characters, the same on every machine',
    );
  }
  // With a store in memory everything that the secret protects ends with the process.
  return store.startsWith('memory:') ? newSecret() : keptSecret(dataDirectory);
}

/** For development: made at the first start and kept, so that sessions and API keys can be read after a restart. */
function keptSecret(dataDirectory: string): string {
  makePrivate(dataDirectory);
  const file = join(dataDirectory, 'secret');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, newSecret(), {mode: 0o600});
  try {
    // Linking is atomic: of several processes that start at once one wins, and none reads a part of a secret.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8');
}

/** Other users of this machine must not read password hashes and encrypted keys. */
function makePrivate(directory: string): void {
  mkdirSync(directory, {recursive: true, mode: 0o700});
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
