import {exportLinks} from '../export/export.ts';
import {type Command, UsageError} from './command.ts';
import {connectionString, text, whyIncomplete} from './stores.ts';

const help = `Usage: koa-short-url export --store URL > FILE

Writes a site to standard output. The NDJSON file has everything, and "import"
restores it on any store. The CSV file has the links, for a spreadsheet. Keep
the NDJSON file as safe as the store: it contains password hashes and encrypted
API keys.

Options:
  --store URL            the store; also STORE in the environment
  --format ndjson|csv    everything, or only the links (default: ndjson)
  --account ACCOUNT      only this account and its links
  --namespace NAME       the namespace of the site (default: shorturl)

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
