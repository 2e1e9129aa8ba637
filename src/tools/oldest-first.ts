import {isUnreadable, type SourceLine} from './formats/source-link.ts';

/** Lines that are kept to be sorted, at most: so many, and so many characters of long URLs and titles. */
const maxLines = 20_000;
const maxCharacters = 8 * 1024 * 1024;

/**
 * The lines with the oldest link first, so that the account's list has the order of creation: many exports begin with
 * the newest link, or are sorted by short part. A long source is sorted part by part, in bounded memory.
 */
export async function* oldestFirst(lines: AsyncIterable<SourceLine>): AsyncGenerator<SourceLine> {
  let kept: SourceLine[] = [];
  let characters = 0;
  for await (const line of lines) {
    kept.push(line);
    characters += isUnreadable(line) ? 0 : line.url.length + (line.title?.length ?? 0);
    if (kept.length < maxLines && characters < maxCharacters) continue;
    yield* sorted(kept);
    kept = [];
    characters = 0;
  }
  yield* sorted(kept);
}

/** A link without a date is made now, and a line that is no link comes where it stands. */
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
