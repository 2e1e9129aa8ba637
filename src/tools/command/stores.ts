import type {ShortPartOptions} from '../../link/generated/short-part-options.ts';
import {type Call, UsageError} from './command.ts';

/**
 * A connection string from an option or from the environment. Lists of processes show arguments, but no environment.
 *
 * @param name of the option: `store` is `STORE` in the environment
 */
export function connectionString({values, env}: Pick<Call, 'values' | 'env'>, name: string): string {
  const variable = name.toUpperCase();
  const store = values[name] ?? env[variable];
  if (typeof store === 'string' && store !== '') return store;
  throw new UsageError(`Expected a connection string in --${name} or in the environment variable ${variable}.`);
}

/**
 * The secrets in the environment: `SHORT_URL_SECRET`, and after it those of `OLD_SECRETS`, with commas between them;
 * undefined without the former.
 */
export function secretsIn({SHORT_URL_SECRET: secret = '', OLD_SECRETS}: Call['env']): string[] | undefined {
  return secret === '' ? undefined : [secret, ...listIn(OLD_SECRETS)];
}

/** The parts of a text with commas between them. */
export function listIn(text = ''): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The text of an option; undefined if it was not given. */
export function text({values}: Pick<Call, 'values'>, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** Reads `unicode,segments=3,ignore-case`. */
export function shortPartsIn(text: string | undefined): ShortPartOptions | undefined {
  if (text === undefined) return undefined;
  const rules: {-readonly [Name in keyof ShortPartOptions]: ShortPartOptions[Name]} = {};
  for (const word of text.split(',').map((each) => each.trim())) {
    const [, count] = /^segments=(\d)$/.exec(word) ?? [];
    if (word === 'unicode') rules.unicode = true;
    else if (word === 'ignore-case') rules.ignoreCase = true;
    else if (count !== undefined) rules.segments = Number(count);
    else throw new UsageError('Expected --short-parts to be a list such as unicode,segments=3,ignore-case.');
  }
  return rules;
}

/** The reason why a tool is incomplete that has left out records. */
export function whyIncomplete({unreadable}: {readonly unreadable: number}): string | undefined {
  if (unreadable === 0) return undefined;
  return `${unreadable} ${unreadable === 1 ? 'record' : 'records'} cannot be read, and ${unreadable === 1 ? 'was' : 'were'} left out.`;
}
