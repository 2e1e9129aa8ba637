import {isUnreadable, type SourceLine} from '../../tables/source-link.ts';

/** The maximum number of lines, and of characters in their texts, that are sorted at once. */
const maxLines = 20_000;
const maxCharacters = 8 * 1024 * 1024;

/**
 * Sorts lines so that the oldest link comes first, and the account's list has the order of creation. Many exports begin
 * with the newest link, or are sorted by short part. A long source is sorted part by part in bounded memory.
 */
export async function* oldestFirst(lines: AsyncIterable<SourceLine>): AsyncGenerator<SourceLine> {
  let kept: SourceLine[] = [];
  let characters = 0;
  for await (const line of lines) {
    kept.push(line);
    characters += lengthOf(line);
    if (kept.length < maxLines && characters < maxCharacters) continue;
    yield* sorted(kept);
    kept = [];
    characters = 0;
  }
  yield* sorted(kept);
}

function lengthOf(line: SourceLine): number {
  if (isUnreadable(line)) return line.shortPart?.length ?? 0;
  const {shortPart, url, domain, password, fields} = line;
  const values = [shortPart, url, domain, password, ...Object.values(fields).flat()];
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

/** A link without a date counts as new. A line without a link keeps its place. */
function sorted(lines: SourceLine[]): SourceLine[] {
  const times = new Map<SourceLine, number>();
  let last = Number.NEGATIVE_INFINITY;
  for (const line of lines) {
    last = isUnreadable(line) ? last : (line.created ?? Number.POSITIVE_INFINITY);
    times.set(line, last);
  }
  const timeOf = (line: SourceLine): number => times.get(line) ?? 0;
  return lines.sort((one, other) => (timeOf(one) === timeOf(other) ? 0 : timeOf(one) - timeOf(other)));
}
