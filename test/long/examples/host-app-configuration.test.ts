import {mkdtempSync, readdirSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {readConfiguration} from '../../../examples/host-app/configuration.ts';

function temporaryDirectory(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'host-app-'));
  t.teardown(() => {
    rmSync(directory, {recursive: true});
  });
  return join(directory, 'data');
}

test('without settings the site keeps an SQLite file and a secret in its data directory', (t) => {
  const data = temporaryDirectory(t);
  const configuration = readConfiguration({}, data);
  t.is(configuration.port, 3000);
  t.is(configuration.baseUrl, undefined);
  t.deepEqual(configuration.baseDomains, []);
  t.is(configuration.store, `sqlite:${join(data, 'site.db')}`);
  t.false(configuration.proxy);
  t.true(configuration.secret.length >= 43);
  t.deepEqual(readdirSync(data), ['secret']);
  t.is(statSync(data).mode & 0o777, 0o700);
  t.is(statSync(join(data, 'secret')).mode & 0o777, 0o600);
});

test('the secret of the first start is used again at the next', (t) => {
  const data = temporaryDirectory(t);
  t.is(readConfiguration({}, data).secret, readConfiguration({STORE: 'redis://localhost'}, data).secret);
});

test('settings come from the environment, and an empty one counts as absent', (t) => {
  const environment = {
    PORT: '0',
    BASE_URL: ' https://example.com ',
    BASE_DOMAINS: 'sho.rt, https://go.example.org/x,',
    STORE: 'memory:',
    SHORT_URL_SECRET: 'a secret',
    PROXY: '1',
    OPERATORS: 'Ada@example.org',
  };
  t.deepEqual(readConfiguration(environment), {
    port: 0,
    baseUrl: 'https://example.com',
    baseDomains: ['sho.rt', 'https://go.example.org/x'],
    store: 'memory:',
    secret: 'a secret',
    proxy: true,
    operators: ['ada@example.org'],
  });
  t.is(readConfiguration({...environment, BASE_URL: '', PORT: ''}).port, 3000);
});

test('an invalid port is refused', (t) => {
  for (const PORT of ['eighty', '-1', '65536', '80.5']) {
    t.throws(() => readConfiguration({PORT, STORE: 'memory:', SHORT_URL_SECRET: 'x'}), {message: /PORT/});
  }
});

test('production requires a secret', (t) => {
  const data = temporaryDirectory(t);
  t.throws(() => readConfiguration({NODE_ENV: 'production'}, data), {message: /SHORT_URL_SECRET/});
});
