import {access, readFile} from 'node:fs/promises';
import test from 'ava';

const text = await readFile('CONTRIBUTING.md', 'utf8');
const {scripts} = JSON.parse(await readFile('package.json', 'utf8')) as {scripts: Record<string, string>};

test('CONTRIBUTING names every script, and no other', (t) => {
  const named = new Set(Array.from(text.matchAll(/npm (?:run )?([a-z:]+)/g), ([, name = '']) => name));
  for (const name of ['ci', 'install', 'stage', 'version']) named.delete(name);
  t.deepEqual(
    [...named].toSorted(),
    Object.keys(scripts)
      .filter((name) => name !== 'prepack')
      .toSorted(),
  );
});

test('every file that CONTRIBUTING names exists, except for those of its made-up engine', async (t) => {
  const paths = text.matchAll(/(?:src|test|docs|scripts|\.ci)\/[\w./-]*\w/g);
  const made = ['src/store/example/driver.ts', 'src/store/example/open.ts', 'test/engines/store/example.test.ts'];
  for (const [path] of paths) if (!made.includes(path)) await t.notThrowsAsync(access(path), path);
});
