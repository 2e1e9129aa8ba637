import type {LiveAccount} from '../../src/accounts/record.ts';
import {Tally} from '../../src/tools/content/content.ts';
import {ndjsonOf} from '../../src/tools/export/export.ts';
import {restore} from '../../src/tools/import/import-ndjson.ts';
import {Server} from './server.ts';
import type {Site} from './world.ts';

/** Exports the site, or one account, and imports that into an empty store. */
export async function moved({store, openTarget}: Site, account?: LiveAccount): Promise<Server> {
  const target = new Server();
  const bytes = ndjsonOf({store, account, tally: new Tally(), onProgress: () => undefined});
  await restore(() => openTarget(target), bytes, {strict: true});
  return target;
}
