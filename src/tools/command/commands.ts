import {check} from './check.ts';
import type {Command} from './command.ts';
import {copy} from './copy.ts';
import {exporting} from './export.ts';
import {importing} from './import.ts';
import {resealing} from './reseal.ts';

/** The commands by their names, in the order of the overview. */
export const commands: ReadonlyMap<string, Command> = new Map([
  ['copy', copy],
  ['export', exporting],
  ['import', importing],
  ['check', check],
  ['reseal', resealing],
]);

/** The output of `--help` without a command. */
export function overview(): string {
  const lines = Array.from(commands, ([name, {summary}]) => `  ${name.padEnd(10)} ${summary}`);
  return `Usage: koa-short-url <command> [options]

Moves, saves and checks the links of a site that uses koa-short-url.

Commands:
${lines.join('\n')}

"koa-short-url <command> --help" explains a command, with examples.

Stores are connection strings, as in the option "store" of shortUrl():
sqlite:path/to/file.db, redis://, rediss://, redis+cluster://, redis+sentinel://,
valkey://, postgres://, mysql://. Arguments show in lists of processes, so a
connection string with a password is better given in the environment: STORE for
--store, FROM for --from, TO for --to. Secrets are only read from there:
SHORT_URL_SECRET, OLD_SECRETS, SOURCE_KEY.

At the end a summary is printed as one line of JSON. The exit code is 0 if
everything was done, 1 if not, and 2 for a command line that cannot be right.
`;
}
