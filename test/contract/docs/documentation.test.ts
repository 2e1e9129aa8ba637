import {execFile} from 'node:child_process';
import {existsSync} from 'node:fs';
import {readdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join, normalize} from 'node:path';
import {promisify} from 'node:util';
import {Script} from 'node:vm';
import test from 'ava';
import {shortUrl} from '../../../src/index.ts';
import {folderInPackage, programsOf, readPages} from '../../support/pages.ts';

const run = promisify(execFile);
const pages = await readPages();
const reference = pages.get('reference.md') ?? '';

/** The members of an interface in a source file. */
async function membersOf(file: string, name: string): Promise<string[]> {
  const source = await readFile(file, 'utf8');
  const [, base = '', body = ''] = new RegExp(`export interface ${name}\\b(.*?)\\{(.*?)^\\}`, 'ms').exec(source) ?? [];
  const published = body.replaceAll(/@internal\s*\*\/\n.*/g, '');
  const own = Array.from(published.matchAll(/^ {2}(?:readonly )?(\w+)[:(?<]/gm), ([, member = '']) => member);
  const generated = /extends (\w+Fields)/.exec(base)?.[1];
  return generated === undefined ? own : [...own, ...(await membersOf('src/link/generated/fields.ts', generated))];
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
  const {fragments} = programsOf(page);
  if (fragments.length > 0) {
    test(`the code fragments in docs/${name} are valid JavaScript`, (t) => {
      for (const code of fragments) t.notThrows(() => new Script(code));
    });
  }
}

test('the site and its tests in docs/testing.md run as written, and pass', async (t) => {
  const [site = '', program = ''] = programsOf(pages.get('testing.md') ?? '').programs;
  const folder = await folderInPackage(t);
  await writeFile(`${folder}/site.mjs`, site);
  await writeFile(`${folder}/site.test.mjs`, program);
  const {stdout} = await run(process.execPath, ['--test', '--test-reporter=tap', `${folder}/site.test.mjs`]);
  t.regex(stdout, /^# pass 3$/m);
});

test('docs/testing.md has exactly the members of the kit', async (t) => {
  const kit = (name: string): Promise<string[]> => membersOf('src/testing/kit.ts', name);
  const nested = new Map([
    ['links', 'TestLinks'],
    ['clock', 'TestClock'],
    ['outage', 'TestOutage'],
  ]);
  const own = await kit('TestShortUrl');
  const inner = Array.from(nested, async ([part, name]) => (await kit(name)).map((member) => `${part}.${member}`));
  const members = [...own.filter((part) => !nested.has(part)), ...(await Promise.all(inner)).flat()];
  const cells = (pages.get('testing.md') ?? '').matchAll(/^\| (`[^|]*)/gm);
  const documented = Array.from(cells, ([, cell = '']) =>
    Array.from(cell.matchAll(/`([\w.]+)/g), ([, part = '']) => part),
  );
  t.deepEqual(documented.flat().toSorted(), members.toSorted());
});

test('the reference has exactly the methods of the interfaces, with a call of each', async (t) => {
  const shortener = shortUrl({baseUrl: 'https://example.com', store: new Map()});
  t.teardown(() => shortener.close());
  const {accounts, links, keys, conversions, admin} = shortener;
  const groups = {accounts, links, keys, conversions, admin};
  const methods = Object.entries(groups).flatMap(([group, object]) =>
    methodsOf(object).map((name) => `${group}.${name}`),
  );
  const headings = Array.from(reference.matchAll(/^### (\w+\.\w+)$/gm), ([, heading = '']) => heading);
  t.deepEqual(headings.toSorted(), methods.toSorted());
  for (const heading of headings) {
    t.true(section(reference, `### ${heading}`).includes(`shortener.${heading}(`), `no example of ${heading}`);
  }

  const own = (await membersOf('src/shortener/interface.ts', 'ShortUrl')).filter((name) => !(name in groups));
  const described = Array.from(
    section(reference, '## The shortener itself').matchAll(/^### (\w+)$/gm),
    ([, heading = '']) => heading,
  );
  t.deepEqual(['events', ...described].toSorted(), own.toSorted());
});

test('every method and option in the reference has the question that it answers, with an example', async (t) => {
  const options = section(reference, '## Options');
  for (const [, heading = '', question = '', code = ''] of reference.matchAll(
    /^### (\S+)\n\n(?:_(.+\?)_ `(.+)`$)?/gm,
  )) {
    if (['Link', 'baseUrlsOf,'].includes(heading)) continue;
    t.not(question, '', heading);
    const isOption = options.includes(`\n### ${heading}\n\n_${question}_`);
    const expected = isOption ? `${heading}: ` : `shortener.${heading}`;
    t.true(code.includes(expected), `${heading}: ${code}`);
    t.notThrows(() => new Script(isOption ? `({${code}})` : `async () => {${code}}`), heading);
  }
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

test('the reference has every event, every field of a link and every option, and no other', async (t) => {
  const options = section(reference, '## Options').matchAll(/^### (\w+)$/gm);
  const listed = (heading: string): string[] => listedNames(section(reference, heading));
  const parts: ReadonlyArray<readonly [names: string[], file: string, ...interfaces: string[]]> = [
    [listed('## Events'), 'src/links/events.ts', 'EventMap'],
    [listed('### Link'), 'src/link/link.ts', 'Link'],
    [listed('### health'), 'src/shortener/health.ts', 'Health'],
    [listed('### links.create'), 'src/link/link.ts', 'CreateLink'],
    [listed('### links.page'), 'src/links/read/listed-links.ts', 'LinkConditions', 'LinkFilter', 'Page', 'LinkQuery'],
    [Array.from(options, ([, name = '']) => name), 'src/shortener/generated/options.ts', 'ShortUrlOptions'],
  ];
  for (const [names, file, ...interfaces] of parts) {
    const members = await Promise.all(interfaces.map((name) => membersOf(file, name)));
    t.deepEqual(names.toSorted(), members.flat().toSorted(), interfaces.join());
  }
});

test('the page on importing has every code of the report', async (t) => {
  const sources = ['src/tables/source-link.ts', 'src/tables/unreadable.ts', 'src/tools/import/import-report.ts'];
  const source = (await Promise.all(sources.map((file) => readFile(file, 'utf8')))).join('\n');
  const unions = source.matchAll(/^export type (?:Note|Unreadable|Report)Code =([^;]*);/gm);
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
    const source = await readFile(`src/store/engines/${engine}/inspect.ts`, 'utf8');
    for (const [, severity, code = ''] of source.matchAll(/\b(problem|advice)\(\s*'(\w+)'/g)) {
      t.true((severity === 'problem' ? problems : advices).includes(`\`${code}\``), `${engine}: ${code}`);
    }
    for (const [, code = ''] of `${problems} ${advices}`.matchAll(/`(\w+)`/g)) {
      t.true(source.includes(`'${code}'`) || shared.includes(`'${code}'`), `${engine}: ${code}`);
    }
  }
});

test('every link of the pages leads to an existing file and heading', async (t) => {
  const files = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
  for (const file of [...files, ...Array.from(pages.keys(), (name) => `docs/${name}`)]) {
    const links = (await readFile(file, 'utf8')).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([\w-]+))?[^)]*\)/g);
    for (const [, target = '', anchor] of links) {
      const path = target === '' ? file : normalize(join(dirname(file), target));
      t.true(existsSync(path), `${file} links to ${target}`);
      if (anchor === undefined) continue;
      const anchors = Array.from((await readFile(path, 'utf8')).matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
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
