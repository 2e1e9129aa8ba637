/* Made by `npm run generate` from the tables of options. Do not edit. */

/** What a short part may be. */
export interface ShortPartOptions {
  /**
   * Whether `/Spring` and `/spring` are one link. Short parts are kept in lower case. The store remembers the setting,
   * and the command `copy --ignore-case` changes it.
   * @default false
   */
  readonly ignoreCase?: boolean | undefined;
  /**
   * Whether letters, marks and digits of any script and emoji are allowed. The letters of one segment are of one
   * script.
   * @default false
   */
  readonly unicode?: boolean | undefined;
  /**
   * The maximum number of segments with a slash between them. 1 to 5.
   * @default 1
   */
  readonly segments?: number | undefined;
}
