/** A release in a changelog in the form of Keep a Changelog. */
export interface Release {
  readonly version: string;
  /** The day of the release, `yyyy-mm-dd`. */
  readonly date: string;
  /** The section without its heading. */
  readonly notes: string;
}

/**
 * Reads the newest release from the text of a changelog.
 *
 * @returns undefined if there is no release, or if the section `[Unreleased]` before it is not empty
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
