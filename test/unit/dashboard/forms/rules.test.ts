import test from 'ava';
import {digestOf, placesOf, readRules, rowsOf, type Rule} from '../../../../src/dashboard/forms/rules.ts';

test('languages and countries are read back from what the form shows, from a name and from a code, in every language', (t) => {
  for (const page of ['en', 'de', 'es', 'fr', 'zh-Hans', 'zh-Hant'] as const) {
    const places = placesOf(page);
    for (const [kind, code] of [
      ['language', 'pt-BR'],
      ['language', 'zh'],
      ['country', 'HK'],
      ['country', 'US'],
      ['language', 'x-unknown'],
    ] as const) {
      const shown = places.show(kind, code);
      t.is(places.codeOf(kind, shown), code, `${page}: ${shown}`);
      t.is(places.codeOf(kind, code), code);
    }
    for (const name of places.countries)
      t.is(places.codeOf('country', name.replace(/ \([A-Z]{2}\)$/, '')).length, 2, name);
    t.true(places.countries.length > 240 && places.languages.length > 50);
  }
  t.is(placesOf('de').codeOf('country', 'österreich'), 'AT');
});

test('rules come back from their rows unchanged, so an unchanged form has the same digest', (t) => {
  const rules: Rule[] = [
    {device: 'ios', url: 'https://example.org/1'},
    {language: 'pt-BR', country: 'BR', from: '2031-01-01', until: '2031-01-02', url: 'https://example.org/2'},
  ];
  const places = placesOf('fr');
  const read = readRules(rowsOf(rules, places), places);
  t.deepEqual(read.rules, rules);
  t.is(read.mistakes.size, 0);
  t.is(digestOf(read.rules), digestOf(rules));
  t.not(digestOf(rules), digestOf(rules.toReversed()));
});
