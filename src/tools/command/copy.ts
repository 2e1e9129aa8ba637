import {copyStore} from '../copy/copy.ts';
import type {Command} from './command.ts';
import {connectionString, text, whyIncomplete} from './stores.ts';

const help = `Usage: koa-short-url copy --from URL --to URL

Makes another store equal to the one in use: accounts with their API keys,
links, the names of removed links, passwords, counters, sequences, blocks and
quotas. Both stores are compared at the end. Run it while the site is running,
stop the site, run it again to bring over what has changed since, and start the
site with the new store and the same secret.

Options:
  --from URL             the store to copy from; also FROM in the environment
  --to URL               the store to copy to: empty, or the target of an
                         earlier copy; also TO in the environment
  --namespace NAME       of the source (shorturl)
  --to-namespace NAME    of the target (that of the source)
  --overwrite            overwrite a target that was in use since the last copy

Examples:
  koa-short-url copy --from sqlite:links.db --to redis://localhost:6379
  TO=postgres://user:password@db.example/links koa-short-url copy --from sqlite:links.db

An interrupted copy is started again and takes up where it was.
`;

export const copy: Command = {
  summary: 'make another store equal to the one in use',
  help,
  options: {
    from: {type: 'string'},
    to: {type: 'string'},
    namespace: {type: 'string'},
    'to-namespace': {type: 'string'},
    overwrite: {type: 'boolean'},
  },
  operands: [],
  async run(call) {
    const summary = await copyStore({
      from: connectionString(call, 'from'),
      to: connectionString(call, 'to'),
      namespace: text(call, 'namespace'),
      toNamespace: text(call, 'to-namespace') ?? text(call, 'namespace'),
      overwrite: call.values['overwrite'] === true,
      onProgress: call.onProgress,
    });
    return {summary, incomplete: whyIncomplete(summary)};
  },
};
