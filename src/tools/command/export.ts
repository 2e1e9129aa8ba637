import {exportLinks} from '../export/export.ts';
import type {Command} from './command.ts';
import {connectionString, text, whyIncomplete} from './stores.ts';
import {UsageError} from './usage-error.ts';

const help = `Usage: koa-short-url export --store URL > FILE

Writes a site to standard output: as NDJSON everything, so that "import" makes
the same site of it on any store, or as CSV the links, for a spreadsheet. The
file has the hashes of passwords and the sealed API keys: keep it as you keep
the store.

Options:
  --store URL            the store; also STORE in the environment
  --format ndjson|csv    everything as NDJSON, or the links as CSV (ndjson)
  --account ACCOUNT      only this account and what belongs to it
  --namespace NAME       the namespace of the site (shorturl)

Examples:
  koa-short-url export --store sqlite:links.db > backup.ndjson
  koa-short-url export --store sqlite:links.db | gzip > backup.ndjson.gz
  koa-short-url export --store sqlite:links.db --account user-42 --format csv > links.csv

The summary goes to standard error.
`;

function formatOf(name = 'ndjson'): 'ndjson' | 'csv' {
  if (name === 'ndjson' || name === 'csv') return name;
  throw new UsageError('Expected --format to be ndjson or csv.');
}

export const exporting: Command = {
  summary: 'write a site as NDJSON, or its links as CSV',
  help,
  options: {
    store: {type: 'string'},
    format: {type: 'string'},
    account: {type: 'string'},
    namespace: {type: 'string'},
  },
  operands: [],
  async run(call) {
    const summary = await exportLinks({
      store: connectionString(call, 'store'),
      to: call.stdout,
      format: formatOf(text(call, 'format')),
      account: text(call, 'account'),
      namespace: text(call, 'namespace'),
      onProgress: call.onProgress,
    });
    return {summary, incomplete: whyIncomplete(summary), isStdoutTaken: true};
  },
};
