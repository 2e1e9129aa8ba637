import test from 'ava';
import {Outages} from '../../src/store/outages.ts';

test('an outage of several servers is told once, with what began it, and the next one when all were back', (t) => {
  const told: string[] = [];
  const outages = new Outages((error) => told.push(error.message));
  outages.back('a');
  for (const part of ['a', 'b', 'a']) outages.lost(part, new Error(`${part} is lost`));
  t.deepEqual(told, ['a is lost']);
  outages.back('a');
  outages.lost('c', new Error('c is lost'));
  t.deepEqual(told, ['a is lost']);
  outages.back('b');
  outages.back('c');
  outages.lost('b', new Error('b is lost again'));
  t.deepEqual(told, ['a is lost', 'b is lost again']);
});
