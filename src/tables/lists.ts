import {isNone} from './words.ts';

/** An item in quotation marks, or up to the next comma. */
const item = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^,]+)/g;

/**
 * The items of a list in a cell, without blank ones: an array as JSON, Python and Postgres write it, or texts with
 * commas, semicolons or bars between them.
 *
 * @param separator the only separator of a source that has no arrays
 */
export function readList(text: string, separator?: string): string[] {
  const isArray = separator === undefined && /^(?:\[[^]*\]|\{[^]*\})$/.test(text);
  const items = isArray
    ? Array.from(
        text.slice(1, -1).trim().replaceAll(/,\s+/g, ',').matchAll(item),
        ([, double, single, bare = '']) => (double ?? single)?.replaceAll(/\\(.)/g, '$1') ?? (isNone(bare) ? '' : bare),
      )
    : text.split(separator ?? /[,;|]/);
  return items.map((each) => each.trim()).filter(Boolean);
}
