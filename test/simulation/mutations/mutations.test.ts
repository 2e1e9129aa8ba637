import {readFile} from 'node:fs/promises';
import test from 'ava';
import {mutations} from './mutations.ts';

test('every mutation of the simulation applies to the program at one place', async (t) => {
  t.true(mutations.length >= 12);
  for (const {name, file, text, instead} of mutations) {
    const parts = (await readFile(`src/${file}`, 'utf8')).split(text);
    t.is(parts.length, 2, name);
    t.not(instead, text, name);
  }
});
