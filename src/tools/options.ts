import {shortUrlOptions} from '../shortener/options.ts';
import {aZone} from '../tables/moments.ts';
import {checkOptions, type Option} from '../values/options.ts';
import type {Secrets} from './secrets.ts';
import {callback, integer, type Shape, shapeOf, text} from '../values/shape.ts';

/** Of an option that is checked where it is used. */
export const any = shapeOf<unknown>({expected: 'any value', holds: () => true});

/** A time-out in milliseconds. Tools may wait longer than a site, and no timer can wait longer than this. */
export const patience = integer(1, 2 ** 31 - 1, 'milliseconds');

export const aFunction = callback();

const {namespace, baseUrl, baseDomains, reserved, shortParts, schemes} = shortUrlOptions;

/** Options of a site, which every tool accepts, so that a host can pass the same ones to all tools. */
const ofSite = {
  store: any,
  storeTimeout: patience,
  namespace,
  // A check reports a secret that is too short.
  secret: shapeOf<Secrets>({
    expected: 'the secret of the site, or an array of them',
    holds: (value) => text.holds(value) || (Array.isArray(value) && value.length > 0 && value.every(text.holds)),
    isSecret: true,
  }),
  baseUrl: {...baseUrl, isRequired: undefined},
  baseDomains,
  reserved,
  shortParts,
  schemes,
  timeZone: aZone,
} as const;

type OptionShape = Shape & Pick<Option, 'isRequired'>;

/**
 * Checks the options of a tool before it does anything, as those of a site are. A misspelt one would change what the tool
 * does: an export without its `account` is one of the whole site. So would a wrong value: `overwrite: 'false'` is true.
 *
 * @param own the options that a site does not have, or not so
 * @throws TypeError that suggests a known name, or says what was expected
 */
export function checkToolOptions<Options extends object>(
  options: Options,
  own: Readonly<Record<Exclude<keyof Options, keyof typeof ofSite>, OptionShape>> &
    Readonly<Partial<Record<keyof typeof ofSite, OptionShape>>>,
): void {
  checkOptions(options, {...ofSite, ...own});
}
