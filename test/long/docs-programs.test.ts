import {execFileSync} from 'node:child_process';
import {readdir} from 'node:fs/promises';
import test from 'ava';
import {isNight} from '../support/night.ts';
import {missingOutputs, programsOf, readPages} from '../support/pages.ts';

/** Which sources the programs of a page are about. docs/testing.md and the README have their own tests. */
const topics: Readonly<Record<string, RegExp>> = {
  'client.md': /^src\/(?:client|http\/api)\b/,
  'conversions.md': /^src\/conversions\//,
  'cookbook.md': /^src\/(?:http|visits)\//,
  'dashboard.md': /^src\/dashboard\//,
  'frameworks.md': /^src\/(?:http|node\.ts)/,
  'getting-started.md': /^src\/(?:index\.ts|shortener\/)/,
  'importing.md': /^src\/tools\/import\//,
  'links.md': /^src\/links?\//,
  'observing.md': /^src\/.*(?:events|announcer|health)\.ts$/,
  'operator.md': /^src\/.*(?:admin|block|accounts)/,
  'privacy.md': /^src\/(?:accounts|conversions|links)\//,
  'reference.md': /^src\/shortener\//,
  'who-clicked.md': /^src\/(?:visits|http\/visit)\//,
};

const pages = new Map(
  Array.from(await readPages()).flatMap(([name, text]) => {
    const {programs} = programsOf(text);
    return programs.length === 0 || name === 'testing.md' ? [] : [[name, programs] as const];
  }),
);

/**
 * The files that differ from `CHANGED_SINCE`, which by default is where the branch left main, or the commit before the
 * last one of main. Undefined if git cannot tell.
 */
function changedFiles(): string[] | undefined {
  const git = (...given: string[]): string =>
    execFileSync('git', given, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']}).trim();
  try {
    const left = process.env['CHANGED_SINCE'] ?? git('merge-base', 'HEAD', 'main');
    const since = left === git('rev-parse', 'HEAD') ? 'HEAD~1' : left;
    const untracked = git('ls-files', '--others', '--exclude-standard');
    return `${git('diff', '--name-only', since)}\n${untracked}`.split('\n');
  } catch {
    return undefined;
  }
}

const changed = isNight ? undefined : changedFiles();

for (const [name, programs] of pages) {
  const isDue = changed?.some((file) => file === `docs/${name}` || (topics[name] ?? /./).test(file)) ?? true;
  (isDue ? test : test.skip)(
    `the programs in docs/${name} run as written, and print what their comments say`,
    async (t) => {
      t.deepEqual(await missingOutputs(t, programs), []);
    },
  );
}

test('each page with programs has its topic, which is about existing sources', async (t) => {
  t.deepEqual(Object.keys(topics), [...pages.keys()].toSorted());
  const sources = (await readdir('src', {recursive: true})).map((file) => `src/${file}`);
  for (const [name, topic] of Object.entries(topics))
    t.true(
      sources.some((file) => topic.test(file)),
      name,
    );
});
