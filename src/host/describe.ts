/** The maximum number of elements of an array that are described. */
const maxItems = 5;

/**
 * Describes a value for an error message. Never repeats a string, because it may be a secret.
 *
 * @param isSecret whether a number may be a secret too
 */
export function describe(value: unknown, isSecret = false): string {
  if (typeof value === 'number' && isSecret) return 'a number';
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty array';
    const items = value.slice(0, maxItems).map((item) => (Array.isArray(item) ? 'an array' : describe(item, isSecret)));
    return `an array of ${items.join(', ')}${value.length > maxItems ? ', …' : ''}`;
  }
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Checks that the options are an object without unknown names, also inherited ones.
 *
 * @param within the name of the option that holds them, if they are not the options themselves
 * @throws TypeError that suggests a known name
 */
export function checkNames(options: unknown, known: readonly string[], within?: string): asserts options is object {
  const what = within === undefined ? 'the options' : `\`${within}\``;
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`Expected ${what} to be an object, got ${describe(options)}`);
  }
  // Options may be inherited. The methods of a class, such as its constructor, are not enumerable.
  for (const name in options) {
    if (known.includes(name)) continue;
    const hint = didYouMean(name, known);
    throw new TypeError(`Expected ${what} to have only ${known.join(', ')}, got \`${name}\`.${hint}`);
  }
}

/** What an option, or a stored value, must be. */
export interface Rule {
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

export const aFunction: Rule = {expected: 'a function', holds: (value) => typeof value === 'function'};
export const aBoolean: Rule = {expected: 'a boolean', holds: (value) => typeof value === 'boolean'};

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** @returns whether a value is an integer in the bounds, which are included */
export function isInteger(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/**
 * Checks the names and the values of options, also of inherited ones and of the getters of a class. A value that is
 * undefined counts as absent.
 *
 * @param unexpected makes the error of a wrong value
 * @param within the name of the option that holds them, if they are not the options themselves
 * @throws TypeError for an unknown name, or what `unexpected` returns
 */
export function checkOptions(
  options: unknown,
  rules: Readonly<Record<string, Rule>>,
  unexpected = (name: string, expected: string, value: unknown): TypeError =>
    new TypeError(`Expected \`${name}\` to be ${expected}, got ${describe(value)}`),
  within?: string,
): asserts options is object {
  checkNames(options, Object.keys(rules), within);
  for (const [name, {expected, holds}] of Object.entries(rules)) {
    const value = (options as Record<string, unknown>)[name];
    if (value === undefined || holds(value)) continue;
    throw unexpected(within === undefined ? name : `${within}.${name}`, expected, value);
  }
}

/** ` Did you mean …?` if the name differs from a known one by at most two edits, otherwise an empty string. */
export function didYouMean(name: string, known: readonly string[]): string {
  const distances = known.map((other) => distance(name.toLowerCase(), other.toLowerCase()));
  const nearest = Math.min(...distances);
  return nearest > maxDistance ? '' : ` Did you mean \`${String(known[distances.indexOf(nearest)])}\`?`;
}

const maxDistance = 2;

/** The Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = Array.from({length: to.length + 1}, (_, index) => index);
  for (const [i, character] of Array.from(from).entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = Number(row[j]) + (character === to[j] ? 0 : 1);
      next.push(Math.min(replaced, Number(row[j + 1]) + 1, Number(next[j]) + 1));
    }
    row = next;
  }
  return Number(row[to.length]);
}

/** A number for people: `1,000,000`. */
export function grouped(number: number, separator = ','): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
}

/** `a, b or c` */
export function enumerated(names: readonly string[], word: 'or' | 'and'): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((each) => each !== '').join(` ${word} `);
}
