/** What `ava` is to test files that share a process: the same, except that their tests run one after the other. */
import ava, {type Implementation, type TestFn} from 'ava';

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

type Declare = (title: string, implementation: Implementation<[]>) => void;

/** Files may have tests with the same title. */
function titled(declare: Declare): Declare {
  return (title, implementation) => {
    const name = `${file}: ${title}`;
    declarations.push(() => {
      declare(name, implementation);
    });
  };
}

const skip = titled(ava.skip);

export default Object.assign(titled(ava.serial), {
  serial: Object.assign(titled(ava.serial), {skip}),
  skip,
  before: later(ava.before),
  after: Object.assign(later(ava.after), {always: later(ava.after.always)}),
}) as unknown as TestFn;
