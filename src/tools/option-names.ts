import {checkNames} from '../values/options.ts';

/** Options of a site, which every tool accepts, so that a host can pass the same ones to all tools. */
const siteNames = [
  'store',
  'storeTimeout',
  'namespace',
  'secret',
  'baseUrl',
  'baseDomains',
  'reserved',
  'shortParts',
  'schemes',
  'timeZone',
] as const;

/**
 * Checks the names of a tool's options, because a misspelt one would change what the tool does: an export without its
 * `account` is one of the whole site.
 *
 * @param own the options that a site does not have
 * @throws TypeError that suggests a known name
 */
export function checkOptionNames<Options extends object>(
  options: Options,
  own: Readonly<Record<Exclude<keyof Options, (typeof siteNames)[number]>, true>>,
): void {
  checkNames(options, [...Object.keys(own), ...siteNames]);
}
