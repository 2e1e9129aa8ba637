import {check} from './check.ts';
import type {Command} from './command.ts';
import {copy} from './copy.ts';
import {exporting} from './export.ts';
import {importing} from './import.ts';
import {planning} from './plan.ts';
import {resealing} from './reseal.ts';

/** The commands by their names, in the order of the overview. */
export const commands: ReadonlyMap<string, Command> = new Map([
  ['copy', copy],
  ['export', exporting],
  ['import', importing],
  ['check', check],
  ['plan', planning],
  ['reseal', resealing],
]);

/** The output of `--help` without a command. */
export function overview(): string {
  const lines = Array.from(commands, ([name, {summary}]) => `  ${name.padEnd(10)} ${summary}`);
  return `Usage: koa-short-url <command> [options]

Moves, backs up and checks the data of a site that uses koa-short-url.

Commands:
${lines.join('\n')}

Run "koa-short-url <command> --help" for details and examples.

Stores are connection strings, as in the option "store" of shortUrl():
sqlite:path/to/file.db, redis://, rediss://, redis+cluster://, redis+sentinel://,
valkey://, postgres://, mysql://, mariadb://. Other programs can see the
arguments of a process. Pass a connection string with a password in the
environment: STORE for --store, FROM for --from, TO for --to. Secrets are read
from the environment only: SHORT_URL_SECRET, OLD_SECRETS, SOURCE_KEY.

Each command ends with a summary, one line of JSON. The exit code is 0 for
success, 1 for a failure, and 2 for a wrong command line.
`;
}
