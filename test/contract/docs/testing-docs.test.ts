import {execFile} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {promisify} from 'node:util';
import test from 'ava';
import {programsOf} from '../../support/pages.ts';

const run = promisify(execFile);
const page = await readFile('docs/testing.md', 'utf8');

test('the site and its tests in docs/testing.md run as written, and pass', async (t) => {
  const [site = '', program = ''] = programsOf(page).programs;
  // Inside the package, so that its name can be imported.
  const folder = await mkdtemp('test/testing-');
  t.teardown(() => rm(folder, {recursive: true, force: true}));
  await writeFile(`${folder}/site.mjs`, site);
  await writeFile(`${folder}/site.test.mjs`, program);
  const {stdout} = await run(process.execPath, ['--test', '--test-reporter=tap', `${folder}/site.test.mjs`]);
  t.regex(stdout, /^# pass 3$/m);
});

test('docs/testing.md has exactly the members of the kit', async (t) => {
  const source = await readFile('src/shortener/test-kit.ts', 'utf8');
  const members = (name: string): string[] =>
    Array.from(
      (new RegExp(`export interface ${name} \\{(.*?)^\\}`, 'ms').exec(source)?.[1] ?? '').matchAll(
        /^ {2}(?:readonly )?(\w+)[:(?]/gm,
      ),
      ([, member = '']) => member,
    );
  const nested: Record<string, string> = {links: 'TestLinks', clock: 'TestClock', outage: 'TestOutage'};
  const parts = members('TestShortUrl').flatMap((part) =>
    part in nested ? members(nested[part] ?? '').map((inner) => `${part}.${inner}`) : part,
  );
  const table = page.split('\n').filter((line) => line.startsWith('| `'));
  const documented = table.flatMap((line) =>
    Array.from((line.split('|')[1] ?? '').matchAll(/`([\w.]+)/g), ([, part = '']) => part),
  );
  t.deepEqual(documented.toSorted(), parts.toSorted());
});
