/** What `ava` is to test files that share a process: the same, except that their tests run one after the other. */
import ava, {type ExecutionContext, type TestFn} from 'ava';

let file = '';
const declarations: Array<() => void> = [];

/** What is declared from now on belongs to this file. */
export function testsOf(name: string): void {
  file = name;
}

/** ava accepts no test after a pause, and a file may wait for something before it declares its tests. */
export function declareTests(): void {
  for (const declare of declarations) declare();
}

function later<Arguments extends unknown[]>(declare: (...values: Arguments) => void): (...values: Arguments) => void {
  return (...values) =>
    void declarations.push(() => {
      declare(...values);
    });
}

type Body = (t: ExecutionContext) => Promise<void> | void;

type Declare = (title: string, body: Body) => void;

/** The files of which a hook failed, such as one that waits for a database, and why. */
const failed = new Map<string, unknown>();

/** Files may have tests with the same title. A hook that fails takes only the tests of its file along. */
function titled(declare: Declare): Declare {
  return (title, body) => {
    const own = file;
    const name = `${own}: ${title}`;
    declarations.push(() => {
      declare(name, (t) => {
        if (failed.has(own))
          throw new Error(`A hook of ${own} failed: ${String(failed.get(own))}`, {cause: failed.get(own)});
        return body(t);
      });
    });
  };
}

/** Declares a hook, with a title or without. */
function before(...given: readonly [...title: string[], hook: Body]): void {
  const own = file;
  const [hook, title = 'is prepared'] = [...given].reverse() as [Body, string?];
  declarations.push(() => {
    ava.before(`${own}: ${title}`, async (t) => {
      try {
        await hook(t);
      } catch (error) {
        failed.set(own, error);
      }
    });
  });
}

const skip = titled(ava.skip);

export default Object.assign(titled(ava.serial), {
  serial: Object.assign(titled(ava.serial), {skip}),
  skip,
  before,
  after: Object.assign(later(ava.after), {always: later(ava.after.always)}),
}) as unknown as TestFn;
