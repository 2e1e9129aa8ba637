import test from 'ava';
import {readTargets} from '../../../src/tables/targets.ts';
import {isLinear} from '../../support/linear.ts';

const [a, b] = ['https://a.example/', 'https://b.example/?x;y'];

test('destinations by country and device are rules, as texts and as JSON', (t) => {
  const rules = [
    {country: 'AU', url: a},
    {device: 'ios', url: b},
  ];
  for (const value of [
    `AU:${a};iPhone:${b};`,
    `au=${a} | IOS = ${b}`,
    `AU: ${a}\niOS: ${b}`,
    {au: a, iPad: b, DE: ''},
  ]) {
    t.deepEqual(readTargets(value), rules, JSON.stringify(value));
  }
  t.deepEqual(readTargets(JSON.stringify({AU: a, ios: b})), rules);
  t.deepEqual(readTargets(rules), rules);
  t.deepEqual(readTargets(`fridge:${a}`), [{device: 'fridge', url: a}]);
});

test('what is no list of destinations is kept, so that an import tells that it is none', (t) => {
  t.deepEqual(readTargets('Germany'), ['Germany']);
  t.deepEqual(readTargets('{"AU":'), ['{"AU":']);
});

test('a long text of destinations is read in linear time', async (t) => {
  for (const part of [';', '\n ', 'AU:https://a.example/;']) {
    const read = async (count: number): Promise<void> => void readTargets(`DE:${a}${part.repeat(count)}x`);
    t.true(await isLinear(60_000, read), JSON.stringify(part));
  }
});
