import {readFile} from 'node:fs/promises';
import test from 'ava';
import type {Context} from 'koa';
import {defaultVisitDetails} from '../../../src/http/visit/visit-details.ts';
import {shortUrlOptions as options} from '../../../src/shortener/options.ts';

/** What pages say of the default of an option, beside the reference, which is made from the table. */
const told: ReadonlyArray<readonly [page: string, sentence: string, actual: unknown, expected: unknown]> = [
  ['README.md', 'your pages come first: links answer only where they answer 404', options.defer.default, true],
  ['docs/llms.txt', 'only where the site would answer 404 (`defer: true`)', options.defer.default, true],
  ['docs/stores.md', '`storeTimeout`, two seconds by default', options.storeTimeout.default, 2000],
  ['SECURITY.md', 'A destination is http, https or one of the option `schemes`', options.schemes.default, []],
];

for (const [page, sentence, actual, expected] of told) {
  test(`${page} says of a default what is so: ${sentence}`, async (t) => {
    const text = await readFile(page, 'utf8');
    t.true(text.replaceAll(/\s+/g, ' ').includes(sentence), 'the sentence changed: change it here too');
    t.deepEqual(actual, expected, 'the default changed: change the page');
  });
}

/** The details that are counted by default, as pages call them. */
const details: Readonly<Record<string, RegExp>> = {
  referrer: /host name of the `Referer`|referrer/,
  device: /kind of device|device/,
  country: /country/,
};

test('SECURITY.md and the comparison name each detail of a visit that is counted by default', async (t) => {
  const headers = {referer: 'https://a.example/', 'user-agent': 'Mozilla/5.0 (iPhone)', 'cf-ipcountry': 'DE'};
  const counted = defaultVisitDetails({app: {proxy: true}, req: {headers}} as unknown as Context);
  t.deepEqual(Object.keys(counted).toSorted(), Object.keys(details).toSorted());
  const sentences = {
    'SECURITY.md': /By default these are [^|]*?\(with `app\.proxy`\)/,
    'docs/comparison.md': /\| details of visits +\|[^|]*\|/,
  };
  for (const [page, sentence] of Object.entries(sentences)) {
    const [text = ''] = sentence.exec(await readFile(page, 'utf8')) ?? [];
    for (const name of Object.keys(counted)) t.regex(text, details[name] ?? /^$/, `${page}: ${name}`);
  }
});
