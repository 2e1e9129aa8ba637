/** What stands in both stores. */
export interface Equal {
  readonly accounts: number;
  /** Links that their owners see. */
  readonly links: number;
  /** All records, those of links, accounts and lists among them. */
  readonly records: number;
  /** Keys with counters. */
  readonly counters: number;
}
