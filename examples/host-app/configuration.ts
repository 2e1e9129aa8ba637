import {randomBytes} from 'node:crypto';
import {linkSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

/** What the environment says about the site. `README.md` beside this file explains each variable. */
export interface Configuration {
  readonly port: number;
  /** Undefined: `http://localhost:` and the port that the server got. */
  readonly baseUrl: string | undefined;
  readonly baseDomains: string[];
  readonly store: string;
  readonly secret: string;
  /** Whether a proxy stands in front that sets `X-Forwarded-For`, `-Host` and `-Proto`, and nobody gets past it. */
  readonly proxy: boolean;
  /** The email addresses of those who may find and block every link. */
  readonly operators: string[];
}

/** What is kept where the environment names no place. Git ignores it. */
const ownData = fileURLToPath(new URL('data', import.meta.url));

/** @throws Error with a sentence for the operator if a value makes no sense */
export function readConfiguration(environment: NodeJS.ProcessEnv, dataDirectory = ownData): Configuration {
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
    secret: value('SECRET') ?? secretFor(store, environment, dataDirectory),
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
      'Expected SECRET to be set in production: at least 32 random characters, the same on every machine',
    );
  }
  // Nothing that this secret protects outlives the process.
  return store.startsWith('memory:') ? newSecret() : keptSecret(dataDirectory);
}

/** For development: made at the first start and kept, so that sessions and sealed API keys still open after a restart. */
function keptSecret(dataDirectory: string): string {
  makePrivate(dataDirectory);
  const file = join(dataDirectory, 'secret');
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, newSecret(), {mode: 0o600});
  try {
    // Of several processes that start at once one wins, and nobody ever sees half a secret.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8');
}

/** Password hashes and sealed keys are nobody else's business on this machine. */
function makePrivate(directory: string): void {
  mkdirSync(directory, {recursive: true, mode: 0o700});
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
