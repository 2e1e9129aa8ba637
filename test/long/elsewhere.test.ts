import {spawn} from 'node:child_process';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import process from 'node:process';
import {text as read} from 'node:stream/consumers';
import test from 'ava';
import {nodeOf} from '../contract/package/node-versions.ts';

interface Place {
  /** When the tests begin, at a place with this time zone. */
  readonly at: string;
  readonly timeZone: string;
  readonly locale: string;
  readonly node: string;
}

/** The quick tests run there: a day that is another one in UTC, and ends while they run, and other words and digits. */
const places: Readonly<Record<string, Place>> = {
  'the end of a year': {
    at: '2027-12-31T23:59:00+14:00',
    timeZone: 'Pacific/Kiritimati',
    locale: 'tr_TR.UTF-8',
    node: 'current',
  },
  'the end of summer time': {
    at: '2028-11-05T00:59:00-04:00',
    timeZone: 'America/Havana',
    locale: 'de_DE.UTF-8',
    node: '24',
  },
  'a leap day': {at: '2028-02-29T23:59:00+03:30', timeZone: 'Asia/Tehran', locale: 'fa_IR.UTF-8', node: 'current'},
};

for (const [name, {at, timeZone, locale, node}] of Object.entries(places)) {
  test.serial(`the quick tests pass at ${name}, in ${timeZone}, with ${locale}, on Node.js ${node}`, async (t) => {
    t.timeout(20 * 60_000);
    const clock = pathToFileURL(resolve('test/support/other-clock.js')).href;
    const env = {
      ...process.env,
      TZ: timeZone,
      LC_ALL: locale,
      CLOCK_SHIFT: String(Date.parse(at) - Date.now()),
      // Also for the processes that tests start.
      NODE_OPTIONS: `--import ${clock}`,
    };
    const ava = ['node_modules/ava/entrypoints/cli.mjs', '--config', 'ava.quick.config.js'];
    const tests = spawn(await nodeOf(node), ava, {env, stdio: ['ignore', 'pipe', 'inherit']});
    const output = await read(tests.stdout);
    t.regex(output, /\d tests passed/);
    t.notRegex(
      output,
      /✘ .*|tests? failed/,
      output
        .split('\n')
        .filter((line) => !line.includes('✔'))
        .join('\n'),
    );
  });
}
