/** The newest version that a changelog after Keep a Changelog tells of. */
export interface Release {
  readonly version: string;
  /** The day of the release, `yyyy-mm-dd`. */
  readonly date: string;
  /** What the section says, without its heading. */
  readonly notes: string;
}

/**
 * Reads the newest release from the text of a changelog.
 *
 * @returns undefined where no release is told of, or where the section of what is not released yet still says something
 */
export function newestRelease(changelog: string): Release | undefined {
  const [, ...sections] = changelog.split(/^## /m);
  for (const section of sections) {
    const [heading = '', ...lines] = section.split('\n');
    const notes = lines.join('\n').trim();
    const [, version, date] = /^\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$/.exec(heading.trim()) ?? [];
    if (version !== undefined && date !== undefined) return {version, date, notes};
    if (heading.trim() !== '[Unreleased]' || notes !== '') return undefined;
  }
  return undefined;
}
