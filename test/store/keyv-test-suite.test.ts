import {createRequire} from 'node:module';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Keyv} from 'keyv';
import {SqliteAdapter} from '../../src/store/sqlite-adapter.ts';
import {temporaryDirectory} from './temporary.ts';

/** What Keyv's suite says of a value; of the test framework it was written for it uses no more than this. */
interface Expectation {
  toBe(value: unknown): void;
  toEqual(value: unknown): void;
  toBeTruthy(): void;
  toBeFalsy(): void;
  toBeNull(): void;
  toBeUndefined(): void;
  toBeDefined(): void;
}

interface Context {
  expect: ((value: unknown) => Expectation) & {assertions(count: number): void};
}

interface Framework {
  it(title: string, body: (context: Context) => unknown): void;
  beforeEach(hook: () => Promise<void>): void;
  afterEach(hook: () => Promise<void>): void;
}

type Suite = (framework: Framework, keyv: typeof Keyv, store: () => SqliteAdapter) => void;

/** Not by its types: they want those of the framework, which is not installed. */
const suites = createRequire(import.meta.url)('@keyv/test-suite') as Record<
  'keyvApiTests' | 'keyvValueTests' | 'keyvNamespaceTest' | 'keyvIteratorTests',
  Suite
>;

const file = join(temporaryDirectory(), 'suite.db');
const adapters: SqliteAdapter[] = [];
test.after.always(() => Promise.all(adapters.map((adapter) => adapter.disconnect())));

/** Another one each time, as Keyv's own adapters are tested: a Keyv changes the namespace of its adapter. */
function store(): SqliteAdapter {
  const adapter = new SqliteAdapter(file, 2000);
  adapters.push(adapter);
  return adapter;
}

for (const [part, suite] of [
  ['API', suites.keyvApiTests],
  ['values', suites.keyvValueTests],
  ['namespaces', suites.keyvNamespaceTest],
  ['iterator', suites.keyvIteratorTests],
] as const) {
  const before: Array<() => Promise<void>> = [];
  const after: Array<() => Promise<void>> = [];
  const framework: Framework = {
    it(title, body) {
      test.serial(`Keyv's own suite, ${part}: ${title}`, async (t) => {
        for (const hook of before) await hook();
        t.teardown(async () => {
          for (const hook of after) await hook();
        });
        await body({expect: expectIn(t)});
      });
    },
    beforeEach: (hook) => before.push(hook),
    afterEach: (hook) => after.push(hook),
  };
  suite(framework, Keyv, store);
}

function expectIn(t: ExecutionContext): Context['expect'] {
  const expect = (actual: unknown): Expectation => ({
    toBe: (value) => t.is(actual, value),
    toEqual: (value) => t.deepEqual(actual, value),
    toBeTruthy: () => t.truthy(actual),
    toBeFalsy: () => t.falsy(actual),
    toBeNull: () => t.is(actual, null),
    toBeUndefined: () => t.is(actual, undefined),
    toBeDefined: () => t.not(actual, undefined),
  });
  return Object.assign(expect, {
    assertions: (count: number) => {
      t.plan(count);
    },
  });
}
