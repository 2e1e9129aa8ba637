/**
 * The cells of a file as RFC 4180 reads them, and no program of ours.
 *
 * @throws Error for a file that is not in order
 */
export function csvCells(text: string, separator = ','): string[][] {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n)`, 'y');
  const rows: string[][] = [[]];
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length; at = cell.lastIndex) {
    cell.lastIndex = at;
    const [, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (end === undefined) throw new Error(`No cell of a CSV file: ${text.slice(at, at + 100)}`);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== separator) rows.push([]);
  }
  rows.pop();
  return rows;
}
