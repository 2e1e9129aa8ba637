import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';
import test from 'ava';
import {kinds} from '../../../src/tools/kinds.ts';

const files = readdirSync('src', {recursive: true, encoding: 'utf8'})
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({file, text: readFileSync(join('src', file), 'utf8')}));

/** The modules that the files import; relative ones as paths below src. */
const imports = files.flatMap(({file, text}) =>
  Array.from(text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g), ([, module = '']) => {
    const name = module.startsWith('.') ? normalize(join(dirname(file), module)) : module;
    return {file, name, message: `${file} imports ${name}`};
  }),
);
const internal = imports.filter(({name}) => name.endsWith('.ts'));

const room = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

/** Files at the root of `src` that every folder may import. The other files there are the entries of the package. */
const base = ['errors.ts', 'planted.ts', 'running.ts', 'tracing.ts', 'turns.ts', 'version.ts', 'warnings.ts'];

/** The folders from the bottom to the top, and the folders below that each may import. */
const below: Record<string, readonly string[]> = {
  values: [],
  client: ['values'],
  store: ['values'],
  link: ['store', 'values'],
  tables: ['link', 'values'],
  site: ['link', 'values'],
  accounts: ['link', 'store', 'values'],
  links: ['accounts', 'site', 'link', 'store', 'values'],
  visits: ['links', 'link', 'store', 'values'],
  conversions: ['visits', 'links', 'accounts', 'link', 'store', 'values'],
  http: ['conversions', 'visits', 'links', 'accounts', 'site', 'link', 'values'],
  shortener: ['http', 'conversions', 'visits', 'links', 'accounts', 'site', 'link', 'store', 'values'],
  testing: ['shortener', 'http', 'link', 'store', 'values'],
  dashboard: ['tables', 'values'],
  tools: ['tables', 'shortener', 'conversions', 'visits', 'links', 'accounts', 'site', 'link', 'store', 'values'],
};

/** What the dashboard uses besides the public interface: requests and answers of Koa. */
const ofTheDashboard = /^(?:index\.ts|http\/koa\/(?:body|form-body|headers|host-context)\.ts)$/;

/** The only files of the store that services may import. */
const ofThePort = [
  'store/kind.ts',
  'store/port.ts',
  'store/records.ts',
  'store/walk.ts',
  'store/failing/within.ts',
  'store/batching/grouper.ts',
];
/** The composition and the tools open stores themselves. */
const ofTheOpeners = [...ofThePort, 'store/findings.ts', 'store/opening/open.ts', 'store/opening/option.ts'];

test('imports lead down from http to links, accounts, a link and the port of the store, and never back', (t) => {
  for (const {file, name, message} of internal) {
    const [from, to] = [room(file), room(name)];
    if (from === to || base.includes(name)) continue;
    if (from === '') {
      t.false(base.includes(file), message);
      continue;
    }
    if (from === 'dashboard' && ofTheDashboard.test(name)) continue;
    t.true(below[from]?.includes(to), message);
    if (to !== 'store') continue;
    const open = ['tools', 'shortener', 'testing'].includes(from) ? ofTheOpeners : ofThePort;
    t.true(open.includes(name), `${message} behind the port`);
  }
});

test('the API and the visits of http do not import each other', (t) => {
  for (const {file, name, message} of internal) {
    if (file.startsWith('http/api/')) t.false(name.startsWith('http/visit/'), message);
    if (file.startsWith('http/visit/')) t.false(name.startsWith('http/api/'), message);
  }
});

test('no two files import each other, directly or through others', (t) => {
  const importsBy = new Map<string, string[]>();
  for (const {file, name} of internal) importsBy.set(file, [...(importsBy.get(file) ?? []), name]);
  t.deepEqual(circleIn(importsBy), []);
});

/** A circle of imports; empty if there is none. */
function circleIn(importsBy: ReadonlyMap<string, Iterable<string>>): readonly string[] {
  const finished = new Set<string>();
  const visit = (name: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(name)) return [...trail.slice(trail.indexOf(name)), name];
    if (finished.has(name)) return [];
    for (const next of importsBy.get(name) ?? []) {
      const circle = visit(next, [...trail, name]);
      if (circle.length > 0) return circle;
    }
    finished.add(name);
    return [];
  };
  for (const name of importsBy.keys()) {
    const circle = visit(name, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

test('no two folders import each other, directly or through others', (t) => {
  const roomsBy = new Map<string, Set<string>>();
  for (const {file, name} of internal) {
    const [from, to] = [room(file), room(name)];
    // The dashboard is a guest of the public interface, which imports nothing of it.
    if (from === '' || to === '' || from === to) continue;
    roomsBy.set(from, (roomsBy.get(from) ?? new Set()).add(to));
  }
  t.deepEqual(circleIn(roomsBy), []);
});

test('every kind of record is in the list of kinds', (t) => {
  const listed = kinds.map(({name}) => name as string);
  for (const {file, text} of files) {
    for (const [, name = ''] of text.matchAll(/^(?:export )?const \w+ = (?:kind|counters|countersKind)\('([^']+)'/gm)) {
      t.true(listed.includes(name), `${file} has the kind ${name}`);
    }
  }
  t.is(new Set(listed).size, listed.length);
});

test('no folder has more than 20 files', (t) => {
  const counts = new Map<string, number>();
  for (const {file} of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  for (const [folder, count] of counts) t.true(count <= 20, `src/${folder} has ${count} files`);
});

test('no file written by hand has more than 400 lines or imports more than 24 others', (t) => {
  const isByHand = (file: string): boolean => !/\/(?:generated|texts)\//.test(file);
  for (const {file, text} of files.filter((each) => isByHand(each.file))) {
    const lines = text.split('\n').length - 1;
    t.true(lines <= 400, `${file} has ${lines} lines`);
    const count = new Set(imports.filter((each) => each.file === file).map(({name}) => name)).size;
    t.true(count <= 24, `${file} imports ${count} others`);
  }
});

test('the entries of the package only re-export', (t) => {
  const entries = files.filter(({file}) => room(file) === '' && !base.includes(file));
  for (const {file, text} of entries) {
    const rest = text.replaceAll(/export (?:type )?(?:\{[^}]*\}|\*) from '[^']+';\s*/g, '');
    t.is(rest, '', file);
  }
});

/** The folder of an engine, or `sql`, which engines share. */
const engine = (path: string): string | undefined => /^store\/engines\/([^/]+)\//.exec(path)?.[1];

/** The files of the store that engines may import. */
const belowEngines = /^store\/(connection-string|batching\/|failing\/|driver|findings|port)/;

test('engines do not import one another, and only the files that open stores import engines', (t) => {
  for (const {file, name, message} of internal.filter((each) => room(each.name) === 'store')) {
    const isAllowed =
      engine(file) === undefined
        ? engine(name) === undefined || file.startsWith('store/opening/')
        : belowEngines.test(name) || [engine(file), 'sql'].includes(engine(name));
    t.true(isAllowed, message);
  }
});

test('only its entry imports the dashboard, the client or the tools', (t) => {
  for (const {file, name, message} of internal) {
    const guest = room(name);
    if (room(file) === 'dashboard' && ofTheDashboard.test(name)) continue;
    if (['client', 'dashboard', 'tools'].includes(guest))
      t.true([guest, `${guest}.ts`].includes(room(file) || file), message);
  }
});

test('only http and the dashboard import Koa, and only the store imports Keyv and its clients', (t) => {
  for (const {file, name, message} of imports) {
    if (name === 'koa') t.true(['http', 'dashboard', 'shortener', 'testing'].includes(room(file)), message);
    if (/^(keyv|@keyv\/|libsql)/.test(name)) t.is(room(file), 'store', message);
  }
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
