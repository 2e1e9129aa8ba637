import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import ts from 'typescript';

const page = await readFile('docs/promises.md', 'utf8');
const lines = page.split('\n').filter((line) => line.startsWith('- '));
const promises = lines.map((line) => {
  const [, sentence = '', title = '', file = ''] = /^- (.+\.) \[(.+)\]\(\.\.\/(test\/[\w./-]+)\)$/.exec(line) ?? [];
  return {line, sentence, title, file};
});

/** A title with its variable parts as ellipses, as the page writes them. */
function titleOf(node: ts.Expression | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({literal}) => `…${literal.text}`).join('');
}

/** The titles of the tests of a file that run: a call with a title, a function after it, and neither skipped nor to do. */
function titlesOf(file: string, source: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const title = titleOf(node.arguments[0]);
      const hasBody = node.arguments.slice(1).some((each) => ts.isArrowFunction(each) || ts.isFunctionExpression(each));
      const isRun = !/\.(?:skip|todo|failing)$/.test(node.expression.getText());
      if (title !== undefined && hasBody && isRun) titles.push(title);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true));
  return titles;
}

test('every line of docs/promises.md is a sentence and a link to its test', (t) => {
  t.deepEqual(
    promises.flatMap(({line, title}) => (title === '' ? [line] : [])),
    [],
  );
  t.is(new Set(promises.map(({sentence}) => sentence)).size, promises.length);
});

test('every test that docs/promises.md names exists under its exact title', async (t) => {
  const files = (await readdir('test', {recursive: true})).flatMap((file) =>
    file.endsWith('.ts') ? [join('test', file)] : [],
  );
  const titles = new Map(
    await Promise.all(files.map(async (file) => [file, titlesOf(file, await readFile(file, 'utf8'))] as const)),
  );
  const wrong = promises.flatMap(({title, file}) => {
    if (titles.get(file)?.includes(title) === true) return [];
    const others = files.filter((other) => titles.get(other)?.includes(title) === true);
    const advice =
      others.length > 0
        ? `It is in ${others.join(', ')}: change the link.`
        : 'If it was renamed, change the title in docs/promises.md. If it was removed, the promise has lost its test.';
    return [`${file} has no test "${title}". ${advice}`];
  });
  t.deepEqual(wrong, []);
});

test('the guarantees of docs/stores.md, and what the README says one gets, are among the promises', async (t) => {
  const stores = await readFile('docs/stores.md', 'utf8');
  const [introduction = ''] = stores.split('\n## ');
  const [, exact = ''] = /^"Exact" means(.*?)^The tests check/ms.exec(stores) ?? [];
  const guarantees = Array.from(`${introduction}${exact}`.matchAll(/^- (.+)$/gm), ([, text = '']) => text);
  t.true(guarantees.length >= 7);
  // The page leaves out the exceptions that follow a guarantee.
  const isPromised = (guarantee: string) =>
    promises.some(({sentence}) => sentence !== '' && guarantee.startsWith(sentence));
  t.deepEqual(
    guarantees.filter((guarantee) => !isPromised(guarantee)),
    [],
  );

  const [, gets = ''] = /^## What you get\n(.*?)^```/ms.exec(await readFile('README.md', 'utf8')) ?? [];
  const topics = Array.from(gets.matchAll(/^- \*\*(.+?)\*\*/gm), ([, topic = '']) => topic);
  t.true(topics.length > 0);
  const named = Array.from(page.matchAll(/^In the README: (.*)\.$/gm), ([, names = '']) => names.split('. ')).flat();
  t.deepEqual(named.toSorted(), topics.toSorted());
});
