import {readFile} from '../../../src/tools/import/formats/formats.ts';
import {timeZone} from '../../../src/tables/moments.ts';
import type {SourceLine, SourceLink} from '../../../src/tables/source-link.ts';

type Line = SourceLine & Partial<SourceLink['fields']>;

/** The lines of a file that is read in parts of this size, with the fields of a link beside its other properties. */
export async function linesOf(
  format: Parameters<typeof readFile>[0],
  content: string | Uint8Array,
  {zone = 'UTC', size = Number.POSITIVE_INFINITY} = {},
): Promise<Line[]> {
  const bytes = Buffer.from(content as string);
  const parts = Array.from({length: Math.max(1, Math.ceil(bytes.length / size))}, (_, index) =>
    size === Number.POSITIVE_INFINITY ? bytes : bytes.subarray(index * size, (index + 1) * size),
  );
  const lines: Line[] = [];
  const settings = {zone: timeZone(zone), table: undefined, pathOf: () => undefined, onIgnored: () => undefined};
  for await (const line of readFile(format, parts, settings)) lines.push(defined(line));
  return lines;
}

/** Removes undefined fields, so that lines can be compared. */
function defined(line: SourceLine): Line {
  const {fields, ...others} = line as SourceLink;
  const says = ([, value]: [string, unknown]): boolean =>
    value !== undefined && value !== false && value !== 0 && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries({...others, ...fields}).filter(says)) as unknown as Line;
}
