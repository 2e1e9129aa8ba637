import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import test from 'ava';

const files = readdirSync('src', {recursive: true, encoding: 'utf8'})
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({file, text: readFileSync(join('src', file), 'utf8')}));

/** The modules that a file imports; relative ones as paths below src. */
function importsOf({file, text}: {file: string; text: string}): string[] {
  return Array.from(text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g), ([, name = '']) =>
    name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  );
}

const room = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

/** The folders, and the folders they may import from. Files beside them (errors, events) may be imported by all. */
const allowed: Record<string, readonly string[]> = {
  dashboard: ['dashboard'],
  http: ['http', 'links', 'accounts'],
  links: ['links', 'accounts', 'store'],
  accounts: ['accounts', 'store'],
  store: ['store'],
  tools: ['tools', 'links', 'accounts', 'store'],
};

/** The only files of the store that other folders may import. The tools open stores themselves. */
const ofThePort = ['store/port.ts', 'store/key.ts', 'store/update.ts'];
const ofTheTools = [...ofThePort, 'store/findings.ts', 'store/open.ts', 'store/option.ts'];

test("imports lead from http to links and accounts and from there to the store's port, and never back", (t) => {
  for (const entry of files.filter(({file}) => room(file) !== '')) {
    for (const name of importsOf(entry).filter((path) => path.endsWith('.ts') && room(path) !== '')) {
      t.true(allowed[room(entry.file)]?.includes(room(name)), `${entry.file} imports ${name}`);
      if (room(name) === 'store' && room(entry.file) !== 'store') {
        t.true(
          (room(entry.file) === 'tools' ? ofTheTools : ofThePort).includes(name),
          `${entry.file} imports ${name} behind the port`,
        );
      }
    }
  }
});

/** The folder of an engine, or `sql`, which engines share. */
const engine = (path: string): string | undefined => /^store\/([^/]+)\//.exec(path)?.[1];

/** The files of the store that engines may import, and those that may import engines. */
const belowEngines = ['batches', 'counting', 'deadline', 'driver', 'failure', 'findings', 'port'].map(
  (name) => `store/${name}.ts`,
);
const aboveEngines = ['store/engines.ts', 'store/open.ts'];

test('engines do not import one another, and only the files that open stores import engines', (t) => {
  for (const entry of files) {
    for (const name of importsOf(entry).filter((path) => room(path) === 'store')) {
      const isAllowed =
        engine(entry.file) === undefined
          ? engine(name) === undefined || aboveEngines.includes(entry.file)
          : belowEngines.includes(name) || [engine(entry.file), 'sql'].includes(engine(name));
      t.true(isAllowed, `${entry.file} imports ${name}`);
    }
  }
});

/** The dashboard may import the public interface, and the files that it shares with http. */
const openToDashboard = ['index.ts', 'accent.ts', 'describe.ts', 'form.ts', 'language.ts'];

test('the dashboard imports the public interface only, and only its entry imports the dashboard', (t) => {
  for (const entry of files) {
    for (const name of importsOf(entry).filter((path) => path.endsWith('.ts'))) {
      if (room(name) === 'dashboard') {
        t.true(entry.file === 'dashboard.ts' || room(entry.file) === 'dashboard', `${entry.file} imports ${name}`);
      } else if (room(entry.file) === 'dashboard') {
        t.true(openToDashboard.includes(name), `${entry.file} imports ${name}`);
      }
    }
  }
});

test('only their entry imports the tools', (t) => {
  for (const entry of files) {
    for (const name of importsOf(entry).filter((path) => path.endsWith('.ts') && room(path) === 'tools')) {
      t.true(entry.file === 'tools.ts' || room(entry.file) === 'tools', `${entry.file} imports ${name}`);
    }
  }
});

test('only http and the dashboard import Koa, and only the store imports Keyv and its clients', (t) => {
  for (const entry of files) {
    for (const name of importsOf(entry)) {
      if (name === 'koa') t.true(['http', 'dashboard', ''].includes(room(entry.file)), `${entry.file} imports ${name}`);
      if (/^(keyv|@keyv\/|libsql)/.test(name)) t.is(room(entry.file), 'store', `${entry.file} imports ${name}`);
    }
  }
});

test('no source file is longer than 300 lines, and the median is about 100', (t) => {
  const lengths = files
    .map(({file, text}) => ({file, lines: text.split('\n').length}))
    .sort((a, b) => a.lines - b.lines);
  for (const {file, lines} of lengths) t.true(lines <= 300, `${file} has ${lines} lines`);
  const median = lengths[Math.floor(lengths.length / 2)]?.lines ?? 0;
  t.true(median <= 130, `the median is ${median}`);
});

test('each unit test has the path and the name of its source', (t) => {
  const sources = new Set(files.map(({file}) => file.replace(/\.ts$/, '')));
  for (const file of readdirSync('test/unit', {recursive: true, encoding: 'utf8'}).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const [name = ''] = file.split('.test.ts');
    const isNamed = [...sources].some((source) => name === source || name.startsWith(`${source}-`));
    t.true(isNamed && file.endsWith('.test.ts'), `test/unit/${file} has no source`);
  }
});
