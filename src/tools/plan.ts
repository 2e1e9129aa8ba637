import {planStore} from '../store/opening/open.ts';
import type {StoreOption} from '../store/opening/option.ts';
import {checkPersistent, defaultTimeout} from './open.ts';
import {checkToolOptions} from './options.ts';

export interface PlanOptions {
  /** A connection string of SQLite, Postgres, MySQL or MariaDB. */
  readonly store: StoreOption;
  /**
   * How long the store may take to answer, in milliseconds.
   * @default 30000
   */
  readonly storeTimeout?: number | undefined;
}

/**
 * The SQL that creates the tables which a store lacks, for the migrations of the site. It runs nothing. See
 * docs/deployment.md.
 *
 * @returns statements that each end with a semicolon and a line break; empty if no table is missing
 * @throws TypeError for a wrong option, or a store without tables; ShortUrlError `store_unavailable`
 * @example
 * process.stdout.write(await plan({store: 'postgres://owner@localhost/links'}));
 */
export async function plan(options: PlanOptions): Promise<string> {
  checkToolOptions(options, {});
  const {store, storeTimeout = defaultTimeout} = options;
  checkPersistent(store);
  const statements = await planStore(store, storeTimeout);
  if (statements === undefined) {
    throw new TypeError('Expected a store of SQLite, Postgres, MySQL or MariaDB: others have no tables');
  }
  return statements.map((statement) => `${statement};\n`).join('');
}
