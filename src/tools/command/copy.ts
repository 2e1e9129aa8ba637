import {copyStore} from '../copy/copy.ts';
import type {Command} from './command.ts';
import {connectionString, shortPartsIn, text, whyIncomplete} from './stores.ts';

const help = `Usage: koa-short-url copy --from URL --to URL

Copies a site to another store: accounts with their API keys, links, the names
of removed links, passwords, counters, sequences, blocks and quotas. At the end
both stores are compared. Run it while the site is running. Then stop the site,
run it again to copy the latest changes, and start the site with the new store
and the same secret.

Options:
  --from URL             the store to copy from; also FROM in the environment
  --to URL               the store to copy to, empty or with an earlier
                         copy; also TO in the environment
  --namespace NAME       the namespace of the source (default: shorturl)
  --to-namespace NAME    the namespace of the target (default: the same)
  --ignore-case          put short parts into lower case, for a site with the
                         option shortParts.ignoreCase
  --short-parts A,B      as in the options of the site; ignore-case among them
                         is --ignore-case
  --schemes A,B          as in the options of the site; a copy keeps every link
  --overwrite            overwrite a target that was used after the last copy

Examples:
  koa-short-url copy --from sqlite:links.db --to redis://localhost:6379
  TO=postgres://user:password@db.example/links koa-short-url copy --from sqlite:links.db

To continue an interrupted copy, run it again.
`;

export const copy: Command = {
  summary: 'copy a site to another store',
  help,
  async run(call) {
    const summary = await copyStore({
      from: connectionString(call, 'from'),
      to: connectionString(call, 'to'),
      namespace: text(call, 'namespace'),
      toNamespace: text(call, 'to-namespace') ?? text(call, 'namespace'),
      ignoreCase: call.values['ignore-case'] === true || shortPartsIn(text(call, 'short-parts'))?.ignoreCase,
      overwrite: call.values['overwrite'] === true,
      onProgress: call.onProgress,
    });
    return {summary, incomplete: whyIncomplete(summary)};
  },
};
