import {readdir, readFile} from 'node:fs/promises';
import {dirname, join, normalize} from 'node:path';
import {Script} from 'node:vm';
import test from 'ava';
import {operations} from '../../../src/http/api/operations.ts';
import {shortUrl} from '../../../src/index.ts';
import {outputsOf, programsOf, promisedOutputs, readPages} from '../../support/pages.ts';

const pages = await readPages();
const reference = pages.get('reference.md') ?? '';
const api = pages.get('api.md') ?? '';

/** The members of an interface in a source file. */
async function membersOf(file: string, name: string): Promise<string[]> {
  const source = await readFile(file, 'utf8');
  const body = new RegExp(`export interface ${name}\\b.*?\\{(.*?)^\\}`, 'ms').exec(source)?.[1] ?? '';
  const published = body.replaceAll(/@internal\s*\*\/\n.*/g, '');
  return Array.from(published.matchAll(/^ {2}(?:readonly )?(\w+)[:(?<]/gm), ([, member = '']) => member);
}

/** The methods of a plain object, or of an instance of a class. */
function methodsOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object) as object;
  const names = Object.getOwnPropertyNames(prototype === Object.prototype ? object : prototype);
  return names.filter((name) => name !== 'constructor');
}

/** The part of a page below a heading, up to the next heading of its level. */
function section(page: string, heading: string): string {
  const level = /^#+/.exec(heading)?.[0] ?? '';
  const start = page.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`There is no heading "${heading}"`);
  const rest = page.slice(start + heading.length + 2);
  const end = rest.search(new RegExp(`^#{1,${level.length}} `, 'm'));
  return end === -1 ? rest : rest.slice(0, end);
}

/** The first column of the tables in a text. */
function firstColumn(text: string): string[] {
  return Array.from(text.matchAll(/^\| `(\w+)`/gm), ([, name = '']) => name);
}

/** The names that begin the items of the lists in a text, as in "- `tag`, `search`: …". */
function listedNames(text: string): string[] {
  const items = text.matchAll(/^- (`\w+`(?:, `\w+`)*)(?=:|$)/gm);
  return Array.from(items, ([, names = '']) => names.replaceAll('`', '').split(', ')).flat();
}

for (const [name, page] of pages) {
  const {programs, fragments} = programsOf(page);
  // docs/testing.md has its own test.
  if (name !== 'testing.md' && programs.length > 0) {
    test(`the programs in docs/${name} run as written, and print what their comments say`, async (t) => {
      const lines = (await outputsOf(t, programs)).join('').split('\n');
      const missing = programs.flatMap(promisedOutputs).filter((text) => !lines.includes(text));
      t.deepEqual(missing, []);
    });
  }
  if (fragments.length > 0) {
    test(`the code fragments in docs/${name} are valid JavaScript`, (t) => {
      for (const code of fragments) t.notThrows(() => new Script(code));
    });
  }
}

test('the reference has exactly the methods of the interfaces', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: new Map()});
  t.teardown(() => shortener.close());
  const {accounts, links, keys, conversions, admin} = shortener;
  const groups = {accounts, links, keys, conversions, admin};
  const methods = Object.entries(groups).flatMap(([group, object]) =>
    methodsOf(object).map((name) => `${group}.${name}`),
  );
  const headings = Array.from(reference.matchAll(/^### (\w+\.\w+)$/gm), ([, heading = '']) => heading);
  t.deepEqual(headings.toSorted(), methods.toSorted());

  const own = (await membersOf('src/shortener/short-url.ts', 'ShortUrl')).filter((name) => !(name in groups));
  const described = Array.from(
    section(reference, '## The shortener itself').matchAll(/^### (\w+)$/gm),
    ([, heading = '']) => heading,
  );
  t.deepEqual(['events', ...described].toSorted(), own.toSorted());
});

test('every code of a warning, and of an error for the operator, has its section in docs/troubleshooting.md', async (t) => {
  const files = (await readdir('src', {recursive: true})).filter((file) => file.endsWith('.ts'));
  const sources = await Promise.all(files.map((file) => readFile(join('src', file), 'utf8')));
  const warned = sources.flatMap((source) =>
    Array.from(source.matchAll(/\bwarn\(\s*'(\w+)'/g), ([, code = '']) => code),
  );
  t.true(warned.length >= 5);
  for (const code of new Set([...warned, 'store_unavailable', 'internal_error'])) {
    t.true(pages.get('troubleshooting.md')?.includes(`\n### ${code}\n`), code);
  }
});

test('docs/llms.txt names every page for users', async (t) => {
  const index = await readFile('docs/llms.txt', 'utf8');
  for (const name of pages.keys()) {
    if (['architecture.md', 'promises.md', 'speed.md'].includes(name)) continue;
    t.true(index.includes(`](${name})`), name);
  }
});

test('the reference shows how to call each method', (t) => {
  for (const [, heading = ''] of reference.matchAll(/^(### \w+\.\w+)$/gm)) {
    const [, property = ''] = heading.split(' ');
    t.true(section(reference, heading).includes(`shortener.${property}(`), property);
  }
});

test('the reference has every event, every field of a link and every option', async (t) => {
  const parts: ReadonlyArray<readonly [heading: string, file: string, name: string]> = [
    ['## Events', 'src/links/events.ts', 'EventMap'],
    ['### Link', 'src/link/link.ts', 'Link'],
    ['### health', 'src/shortener/health.ts', 'Health'],
    ['### links.create', 'src/link/link.ts', 'CreateLink'],
  ];
  for (const [heading, file, name] of parts) {
    t.deepEqual(listedNames(section(reference, heading)).toSorted(), (await membersOf(file, name)).toSorted(), name);
  }
  const filters = [
    ...(await membersOf('src/link/link.ts', 'LinkFilter')),
    ...(await membersOf('src/link/link.ts', 'Page')),
    ...(await membersOf('src/link/link.ts', 'LinkQuery')),
  ];
  t.deepEqual(listedNames(section(reference, '### links.page')).toSorted(), filters.toSorted());
});

test('the reference has exactly the options that exist', async (t) => {
  const options = (await membersOf('src/shortener/options.ts', 'ShortUrlOptions')).toSorted();
  const headings = section(reference, '## Options').matchAll(/^### (\w+)$/gm);
  t.deepEqual(Array.from(headings, ([, name = '']) => name).toSorted(), options);
});

test("the list of the dashboard's options has exactly the options that exist", async (t) => {
  const options = await membersOf('src/dashboard/options.ts', 'DashboardOptions');
  const dashboard = pages.get('dashboard.md') ?? '';
  t.deepEqual(listedNames(section(dashboard, '## Options')).toSorted(), options.toSorted());
});

test('docs/api.md has exactly the operations, parameters and error codes that exist', async (t) => {
  t.deepEqual(firstColumn(section(api, '## Operations')).toSorted(), [...operations.keys()].toSorted());
  const parameters = Array.from(operations.values(), ({parameters: {required, optional}}) => [
    ...required,
    ...optional,
  ]);
  t.deepEqual(listedNames(section(api, '## Parameters')).toSorted(), [...new Set(parameters.flat())].toSorted());

  const errors = await readFile('src/host/errors.ts', 'utf8');
  const codes = Array.from(errors.matchAll(/^ {2}(\w+): (\d{3}),$/gm), ([, code, status]) => `${status} ${code}`);
  const documented = Array.from(api.matchAll(/^- (\d{3}) `(\w+)`/gm), ([, status, code]) => `${status} ${code}`);
  t.deepEqual(documented.toSorted(), codes.toSorted());
});

test('the page on importing has every code of the report', async (t) => {
  const source = await readFile('src/tools/import/formats/source-link.ts', 'utf8');
  const unions = source.matchAll(/^export type (?:Note|Unreadable)Code =([^;]*);/gm);
  const codes = Array.from(unions, ([, union = '']) =>
    Array.from(union.matchAll(/'(\w+)'/g), ([, code]) => code),
  ).flat();
  const ofLinks = [
    'custom_url_taken',
    'forbidden_url',
    'invalid_api_key',
    'invalid_custom_url',
    'invalid_password',
    'invalid_url',
    'reference_taken',
  ];
  const tables = section(pages.get('importing.md') ?? '', '## The report');
  const documented = firstColumn(tables).filter(
    (name) => !['line', 'shortPart', 'code', 'message', 'isImported'].includes(name),
  );
  t.deepEqual(documented.toSorted(), [...codes, ...ofLinks].toSorted());
});

test('docs/deployment.md has exactly the findings of the check, in the rows of their engines', async (t) => {
  const rows = (pages.get('deployment.md') ?? '').split('\n');
  const shared = await readFile('src/tools/check/check.ts', 'utf8');
  const engines = {redis: '| Redis', postgres: '| Postgres', mysql: '| MySQL', sqlite: '| SQLite'};
  for (const [engine, start] of Object.entries(engines)) {
    const [, problems = '', advices = ''] =
      rows
        .find((row) => row.startsWith(start))
        ?.slice(1)
        .split('|') ?? [];
    const source = await readFile(`src/store/${engine}/inspect.ts`, 'utf8');
    for (const [, severity, code = ''] of source.matchAll(/\b(problem|advice)\(\s*'(\w+)'/g)) {
      t.true((severity === 'problem' ? problems : advices).includes(`\`${code}\``), `${engine}: ${code}`);
    }
    for (const [, code = ''] of `${problems} ${advices}`.matchAll(/`(\w+)`/g)) {
      t.true(source.includes(`'${code}'`) || shared.includes(`'${code}'`), `${engine}: ${code}`);
    }
  }
});

test('every link between the pages leads to an existing heading', async (t) => {
  const texts = new Map(Array.from(pages, ([name, text]) => [`docs/${name}`, text]));
  for (const name of ['README.md', 'SECURITY.md', 'CONTRIBUTING.md']) texts.set(name, await readFile(name, 'utf8'));
  for (const [file, text] of texts) {
    for (const [, target = '', anchor = ''] of text.matchAll(/\]\(([\w./-]*\.md)?#([\w-]+)\)/g)) {
      const page = target === '' ? text : (texts.get(normalize(join(dirname(file), target))) ?? '');
      const anchors = Array.from(page.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      );
      t.true(anchors.includes(anchor), `${file} links to ${target}#${anchor}`);
    }
  }
});

test('the sources refer only to existing pages, and to no section of a specification', async (t) => {
  for (const file of await readdir('src', {recursive: true})) {
    if (!file.endsWith('.ts')) continue;
    const source = await readFile(`src/${file}`, 'utf8');
    for (const [, name = ''] of source.matchAll(/\bdocs\/([\w-]+\.md)/g))
      t.true(pages.has(name), `${file} cites ${name}`);
    t.notRegex(source, /specification, section|\(sections? \d/, file);
  }
});
