import {checkNames} from '../host/describe.ts';

/** Options of a site, which every tool accepts, so that a host can pass the same ones to all tools. */
const siteNames: readonly string[] = [
  ...['store', 'storeTimeout', 'namespace', 'secret'],
  ...['baseUrl', 'baseDomains', 'reserved', 'shortParts', 'schemes', 'timeZone'],
];

/**
 * Checks the names of a tool's options, because a misspelt one would change what the tool does: an export without its
 * `account` is one of the whole site.
 *
 * @throws TypeError that suggests a known name
 */
export function checkOptionNames(options: object, names: Readonly<Record<string, true>>): void {
  checkNames(options, Array.from(new Set([...Object.keys(names), ...siteNames])));
}
