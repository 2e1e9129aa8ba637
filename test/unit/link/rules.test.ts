import {createHmac} from 'node:crypto';
import test from 'ava';
import type {Rule} from '../../../src/index.ts';
import {drawOf} from '../../../src/http/visit/lots.ts';
import {conditionsIn, matchingRule, readRules, variantOf, variantsOf} from '../../../src/link/rules.ts';
import {range} from '../../support/engines/crowd.ts';

const url = (name: string): string => `https://${name}.example/`;
const siteKey = {
  digest: (text: string, encoding: 'base64url' | 'hex' = 'base64url') =>
    Promise.resolve(createHmac('sha256', 'a key').update(text).digest(encoding)),
};

interface Given {
  readonly draw?: number;
  readonly kept?: string;
  readonly device?: string;
}

/** The variant that a visitor gets. */
function given(rules: readonly Rule[], {draw = 0, kept, device}: Given = {}): string {
  const visitor = {device: () => device, language: () => undefined, detail: () => undefined, today: () => '2031-05-06'};
  return variantOf(matchingRule(rules, conditionsIn(rules), visitor, {draw, kept}), rules);
}

/** The 99.9 % quantile of chi-squared by its degrees of freedom. */
const quantiles = [0, 10.83, 13.82, 16.27];

function chiSquared(counts: readonly number[], expected: readonly number[]): number {
  return counts.reduce((sum, count, index) => sum + (count - (expected[index] ?? 0)) ** 2 / (expected[index] ?? 1), 0);
}

test('of 100,000 visitors each rule gets its share, and the shares of two links are independent', async (t) => {
  const rules = readRules([
    {share: 30, url: url('b')},
    {share: 25, url: url('c')},
  ]);
  const shares = {A: 45, B: 30, C: 25};
  const names = Object.keys(shares);
  const visitors = 100_000;
  const both = new Map<string, number>();
  for (const index of range(visitors)) {
    const client = `198.${index % 2}.${Math.floor(index / 512)}.${Math.floor(index / 2) % 256}`;
    const agent = index % 3 === 0 ? 'Mozilla/5.0 (iPhone)' : 'Mozilla/5.0 (Windows NT 10.0)';
    const [one, other] = await Promise.all(
      ['spring', 'summer'].map(async (slug) => {
        return given(rules, {draw: await drawOf(siteKey, {domain: 'example.com', slug}, client, agent)});
      }),
    );
    both.set(`${one}${other}`, (both.get(`${one}${other}`) ?? 0) + 1);
  }
  const counts = names.map((one) => names.reduce((sum, other) => sum + (both.get(one + other) ?? 0), 0));
  const expected = Object.values(shares).map((share) => (share / 100) * visitors);
  t.true(chiSquared(counts, expected) < (quantiles[2] ?? 0), counts.join());
  const pairs = names.flatMap((one) => names.map((other) => both.get(one + other) ?? 0));
  const expectedPairs = Object.values(shares).flatMap((one) =>
    Object.values(shares).map((other) => (one * other * visitors) / 10_000),
  );
  // Of eight degrees of freedom.
  t.true(chiSquared(pairs, expectedPairs) < 26.12, pairs.join());
});

test('a draw is the same each time, and another one for another client, agent or link', async (t) => {
  const link = {domain: 'example.com', slug: 'spring'};
  const first = await drawOf(siteKey, link, '192.0.2.1', 'a');
  t.true(first >= 0 && first < 100);
  t.is(await drawOf(siteKey, link, '192.0.2.1', 'a'), first);
  const others = await Promise.all([
    drawOf(siteKey, {...link, slug: 'summer'}, '192.0.2.1', 'a'),
    drawOf(siteKey, {...link, domain: 'sho.rt'}, '192.0.2.1', 'a'),
    drawOf(siteKey, link, '192.0.2.2', 'a'),
    drawOf(siteKey, link, '192.0.2.1', 'b'),
  ]);
  t.is(new Set([first, ...others]).size, 5);
});

test('among the rules that fit each takes its share in order, and the rest go on', (t) => {
  const rules = readRules([
    {device: 'ios', share: 50, url: url('b')},
    {share: 30, url: url('c')},
    {device: 'android', url: url('d')},
    {share: 20, url: url('e')},
  ]);
  t.deepEqual(variantsOf(rules), ['B', 'C', 'E', 'D']);
  const at = (device: string, ...draws: readonly number[]): string =>
    draws.map((draw) => given(rules, {device, draw})).join('');
  t.is(at('ios', 0, 49.9, 50, 79.9, 80, 99.9), 'BBCCDD');
  t.is(at('desktop', 0, 29.9, 30, 49.9, 50, 99.9), 'CCDDAA');
  t.is(at('android', 0, 29.9, 30, 99.9), 'CCEE');
});

test('a visitor keeps the variant that fits, whatever the draw, and is drawn again where none does', (t) => {
  const rules = readRules([
    {device: 'ios', share: 50, name: 'blue', url: url('b')},
    {share: 30, url: url('c')},
  ]);
  const ios = (kept: string, draw: number): string => given(rules, {device: 'ios', kept, draw});
  t.deepEqual(
    [ios('A', 0), ios('B', 0), ios('blue', 99), ios('gone', 0), ios('gone', 99)],
    ['A', 'B', 'blue', 'blue', 'A'],
  );
  t.is(given(rules, {device: 'desktop', kept: 'blue', draw: 0}), 'B');
});

test('rules without a name are called by letters that no other rule has', (t) => {
  const rules = readRules([
    {device: 'ios', url: url('a')},
    {share: 10, url: url('b')},
    {share: 10, name: 'C', url: url('c')},
    {share: 10, url: url('d')},
  ]);
  t.deepEqual(variantsOf(rules), ['E', 'B', 'C', 'D']);
});

const share = (value: number, more: Partial<Rule> = {}): Rule => ({share: value, url: url('x'), ...more});

test('shares that fit together are at most 100 in total', (t) => {
  const right = [
    [share(50), share(50)],
    [share(99), share(1)],
    [share(60, {device: 'ios'}), share(60, {device: 'android'}), share(40)],
    [share(60, {language: 'de'}), share(60, {language: 'fr'})],
    [share(60, {country: 'de'}), share(60, {country: 'AT'})],
    [share(60, {until: '2031-01-31'}), share(60, {from: '2031-02-01'})],
  ];
  for (const rules of right) t.is(readRules(rules).length, rules.length);
  const wrong = [
    [share(50), share(51)],
    [share(60, {device: 'ios'}), share(41)],
    [share(60, {device: 'ios'}), share(60, {language: 'de'})],
    [share(60, {language: 'de'}), share(60, {language: 'de-AT'})],
    [share(60, {country: 'de'}), share(60, {country: 'DE'})],
    [share(60, {until: '2031-02-01'}), share(60, {from: '2031-02-01'})],
    [share(40, {device: 'ios'}), share(40, {language: 'de'}), share(40, {from: '2031-01-01'})],
  ];
  for (const rules of wrong) t.throws(() => readRules(rules), {code: 'malformed_parameter'}, JSON.stringify(rules));
});

test('a share and a name that are not in order are refused', (t) => {
  for (const value of [0, 100, 1.5, -1, '30', null, true]) {
    t.throws(() => readRules([share(value as number)]), {code: 'malformed_parameter'});
  }
  for (const name of ['', ' a', 'x'.repeat(33), 'A', 'other', 'a\nb', 5]) {
    t.throws(() => readRules([share(1, {name: name as string})]), {code: 'malformed_parameter'}, String(name));
  }
  t.throws(() => readRules([share(1, {name: 'a'}), share(1, {name: 'a'})]), {code: 'malformed_parameter'});
  t.throws(() => readRules([{name: 'a', url: url('x')}]), {code: 'malformed_parameter'});
  t.deepEqual(readRules([{url: url('x'), name: '𝒳'.repeat(32), share: 1}]), [share(1, {name: '𝒳'.repeat(32)})]);
});
