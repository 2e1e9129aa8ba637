import {didYouMean} from '../../describe.ts';
import {importNdjson} from '../import-ndjson.ts';
import type {Call, Command, Outcome} from './command.ts';
import {connectionString, text} from './stores.ts';
import {UsageError} from './usage-error.ts';

const help = `Usage: koa-short-url import --store URL [--format ndjson] FILE

Puts a file into a store. FILE is a file that "export" has written; - reads
standard input. An import only adds: it changes nothing that is there, so it may
be repeated, and an interrupted one is started again.

Options:
  --store URL            the store: empty, or the target of an earlier import of
                         the same site; also STORE in the environment
  --format ndjson        the format of the file (ndjson)
  --namespace NAME       the namespace of the site (shorturl)

Examples:
  koa-short-url import --store redis://localhost:6379 backup.ndjson
  gunzip < backup.ndjson.gz | koa-short-url import --store sqlite:links.db -
`;

/** By the name of a format. */
const formats = new Map<string, (call: Call) => Promise<Outcome>>([['ndjson', ofNdjson]]);

export const importing: Command = {
  summary: 'put an export into a store',
  help,
  options: {
    store: {type: 'string'},
    format: {type: 'string'},
    namespace: {type: 'string'},
  },
  operands: ['FILE'],
  run(call) {
    const format = text(call, 'format') ?? 'ndjson';
    const run = formats.get(format);
    if (run !== undefined) return run(call);
    const known = Array.from(formats.keys());
    throw new UsageError(
      `Expected --format to be ${known.join(', ')}.${didYouMean(format, known).replaceAll('`', '')}`,
    );
  },
};

async function ofNdjson(call: Call): Promise<Outcome> {
  const [file = ''] = call.operands;
  const summary = await importNdjson({
    store: connectionString(call, 'store'),
    from: file === '-' ? call.stdin : file,
    namespace: text(call, 'namespace'),
    onProgress: call.onProgress,
  });
  return {summary};
}
