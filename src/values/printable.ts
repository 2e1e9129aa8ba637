/** The maximum number of characters of a line. */
const maxLine = 2000;

/**
 * A line as a terminal can show it. Names, short parts, errors and headers come from files, servers and visitors, so control characters and
 * those that change the direction of text are escaped as in JSON, and JSON stays the same JSON.
 *
 * @param maxLength the most characters; Infinity for a line that programs read
 */
export function printable(line: string, maxLength = maxLine): string {
  const text = line.length > maxLength ? `${line.slice(0, maxLength)}…` : line;
  return text.replaceAll(/[\p{Control}\p{Format}\p{Surrogate}\p{Line_Separator}\p{Paragraph_Separator}]/gu, (found) =>
    Array.from({length: found.length}, (_, index) => escaped(found.charCodeAt(index))).join(''),
  );
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
