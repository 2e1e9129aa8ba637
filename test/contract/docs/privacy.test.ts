import {readFile} from 'node:fs/promises';
import test from 'ava';
import {kinds} from '../../../src/tools/kinds.ts';

const page = await readFile('docs/privacy.md', 'utf8');

/** The rows of the table, each with its words and the kinds of records that it is about. */
const rows = Array.from(page.matchAll(/^\| (?:visitors|customers|users|operator) .*\|$/gm), ([line]) => {
  const cells = line.split('|').slice(1, -1);
  const records = Array.from((cells.at(-1) ?? '').matchAll(/`([\w-]+)`/g), ([, name = '']) => name);
  return {duration: cells.at(-2) ?? '', records};
});

test('docs/privacy.md says of every kind of records what it has, and how long', (t) => {
  const named = rows.flatMap(({records}) => records);
  t.deepEqual(named.toSorted(), kinds.map(({name}): string => name).toSorted());
  for (const {name, expires} of kinds) {
    const duration = rows.find(({records}) => records.includes(name))?.duration ?? '';
    t.true(duration.includes(expires ?? ''), `${name}: ${duration}`);
  }
});
