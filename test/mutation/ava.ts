import {createRequire} from 'node:module';
import {relative} from 'node:path';
import type {ExecutionContext} from 'ava';

type Body = (t: ExecutionContext) => unknown;

interface Outcome {
  readonly passed: boolean;
  readonly error?: Error;
}

/** The part of a Mocha suite that is used here. Mocha and its types are not installed until mutants are made. */
interface Suite {
  title: string;
  readonly file?: string;
  addTest(test: object): void;
  beforeAll(body: () => Promise<void>): void;
  afterAll(body: () => Promise<void>): void;
}

declare const describe: (title: string, body: () => void) => Suite;

const mocha = createRequire(import.meta.url)('mocha') as {
  readonly Test: new (title: string, body: () => Promise<void>) => object;
};

/** AVA's own test, which it does not export: one run of a body, with its assertions, its plan and its teardowns. */
const {default: Test} = (await import(new URL('../../node_modules/ava/lib/test.js', import.meta.url).href)) as {
  default: new (options: object) => {timeout(milliseconds: number): void; run(): Promise<Outcome>};
};

/**
 * For how long a test may wait for its next assertion, in milliseconds. Many mutants are found because something never
 * happens, and without this the process would be given up with them, after as long as all tests take.
 */
const longestWait = 6000;

/** Where the tests of each file go. Mocha makes a `describe` of its own for each file. */
const suites = new WeakMap<typeof describe, Suite>();

function suite(): Suite {
  let found = suites.get(describe);
  if (found === undefined) {
    found = describe('', () => undefined);
    found.title = relative(process.cwd(), found.file ?? '');
    suites.set(describe, found);
  }
  return found;
}

function run(title: string, fn: Body, isHook: boolean): () => Promise<void> {
  return async () => {
    const test = new Test({
      title,
      fn,
      isHook,
      failWithoutAssertions: !isHook,
      metadata: {},
      contextRef: {get: () => undefined},
      notifyTimeoutUpdate: () => undefined,
    });
    if (!isHook) test.timeout(longestWait);
    const {passed, error} = await test.run();
    if (!passed) throw error ?? new Error(`Failed: ${title}`);
  };
}

function add(title: string, body: Body): void {
  suite().addTest(new mocha.Test(title, run(title, body, false)));
}

const skip = (): void => undefined;

/**
 * What the tests use of AVA, on Mocha, so that a process which has loaded them can run them again and again, each time
 * with another mutant. Hooks run each time as well: what a test leaves behind for the next run is its mistake.
 */
export default Object.assign(add, {
  skip,
  serial: Object.assign(add.bind(undefined), {skip}),
  before: (body: Body) => {
    suite().beforeAll(run('before', body, true));
  },
  after: {
    always: (body: Body) => {
      suite().afterAll(run('after', body, true));
    },
  },
});
