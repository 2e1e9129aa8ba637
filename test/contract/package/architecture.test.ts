import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import test from 'ava';

const files = readdirSync('src', {recursive: true, encoding: 'utf8'})
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({file, text: readFileSync(join('src', file), 'utf8')}));

/** The modules that a file names, the relative ones as paths below src. */
function importsOf({file, text}: {file: string; text: string}): string[] {
  return Array.from(text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g), ([, name = '']) =>
    name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  );
}

const room = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

/** Rooms of the house, and the rooms they may look into; the files beside them (errors, events) are open to all. */
const allowed: Record<string, readonly string[]> = {
  dashboard: ['dashboard'],
  http: ['http', 'links', 'accounts'],
  links: ['links', 'accounts', 'store'],
  accounts: ['accounts', 'store'],
  store: ['store'],
  tools: ['tools', 'links', 'accounts', 'store'],
};

/** What stands behind the port is for the store alone. The tools open stores themselves. */
const ofThePort = ['store/port.ts', 'store/key.ts', 'store/update.ts'];
const ofTheTools = [...ofThePort, 'store/open.ts', 'store/option.ts'];

test('imports point from http to links and accounts, from there to the store port, and never back', (t) => {
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

/** Besides the public interface only what http and the dashboard have in common. */
const openToDashboard = ['index.ts', 'accent.ts', 'describe.ts', 'form.ts', 'language.ts'];

test('the dashboard knows the public interface, and nobody knows the dashboard but its entry', (t) => {
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

test('nobody knows the tools but their entry', (t) => {
  for (const entry of files) {
    for (const name of importsOf(entry).filter((path) => path.endsWith('.ts') && room(path) === 'tools')) {
      t.true(entry.file === 'tools.ts' || room(entry.file) === 'tools', `${entry.file} imports ${name}`);
    }
  }
});

test('only http and the dashboard know Koa, and only the store knows Keyv and its clients', (t) => {
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

test('each unit test stands where its source stands, and is named after it', (t) => {
  const sources = new Set(files.map(({file}) => file.replace(/\.ts$/, '')));
  for (const file of readdirSync('test/unit', {recursive: true, encoding: 'utf8'}).filter((name) =>
    name.endsWith('.ts'),
  )) {
    const [name = ''] = file.split('.test.ts');
    const isNamed = [...sources].some((source) => name === source || name.startsWith(`${source}-`));
    t.true(isNamed && file.endsWith('.test.ts'), `test/unit/${file} has no source`);
  }
});
