import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import test from 'ava';
import {withoutPlanted} from '../../../scripts/without-planted.ts';
import {bugs} from '../../planted/bugs.ts';

const textsIn = (folder: string): string[] =>
  readdirSync(folder, {recursive: true, encoding: 'utf8'})
    .filter((file) => /\.[jt]s$/.test(file) && file !== 'planted.ts')
    .map((file) => readFileSync(join(folder, file), 'utf8'));

test('every planted bug of the program is in the table of bugs, and every bug of the table in the program', (t) => {
  const names = textsIn('src').flatMap((text) =>
    Array.from(text.matchAll(/\bplanted\('([^']+)'\)/g), ([, name]) => name),
  );
  t.deepEqual(Array.from(new Set(names)).sort(), Object.keys(bugs).sort());
});

test('the package has no planted bug', (t) => {
  for (const text of textsIn('dist')) t.notRegex(text, /planted\b/);
});

test('the build takes out planted bugs and leaves the rest of the program as it is', (t) => {
  const imported = 'import { planted } from "../planted.js";\n';
  const folded = {
    "if (planted('a')) leak();": '',
    "if (!planted('a')) await store();": 'await store();',
    "if (planted('a')) late(); else close();": 'close();',
    "const link = planted('a') ? undefined : seen;": 'const link = seen;',
    "return is && !(planted('a') && name === 'rules');": 'return is;',
    "return is || planted('a') ? one : two;": 'return is ? one : two;',
    "f(() => { if (planted('a') && b()) return; g(); });": 'f(() => {  g(); });',
    "const sql = `where ${planted('a') ? '' : 'n = $1'} and ${b}`;": 'const sql = `where n = $1 and ${b}`;',
  };
  for (const [program, rest] of Object.entries(folded)) t.is(withoutPlanted(imported + program), rest);
  t.is(withoutPlanted('const planted = 1;'), 'const planted = 1;');
  t.throws(() => withoutPlanted(`${imported}f(planted('a'));`), {message: /must be in a condition/});
  // It would take out the call of `b` too.
  t.throws(() => withoutPlanted(`${imported}if (b() && planted('a')) c();`), {message: /must be in a condition/});
});
