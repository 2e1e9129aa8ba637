import {Writable} from 'node:stream';
import {exportLinks, type ExportOptions, type ExportSummary} from '../../../src/tools/export/export.ts';

/** An export as one text. */
export async function exported(
  options: Omit<ExportOptions, 'to'>,
): Promise<{readonly text: string; readonly summary: ExportSummary}> {
  const parts: Buffer[] = [];
  const to = new Writable({
    write(part: Buffer, _, done) {
      parts.push(part);
      done();
    },
  });
  const summary = await exportLinks({...options, to});
  return {text: Buffer.concat(parts).toString(), summary};
}

/** The text in parts, as an import reads it. */
export async function* partsOf(text: string, size = 1000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** The lines of an export in one order, because two stores may list the same content differently. */
export function sortedLines(text: string): string[] {
  return text.split(/\r?\n/).sort();
}
