import {readFile} from 'node:fs/promises';
import test from 'ava';
import {maxKeys} from '../../../src/accounts/keys.ts';
import {minSecretLength} from '../../../src/accounts/seal.ts';
import {lifeInDays} from '../../../src/conversions/conversion-record.ts';
import {maxPerDay} from '../../../src/conversions/conversions.ts';
import {intentLife} from '../../../src/links/create/intents.ts';
import {maxOfSite} from '../../../src/links/rank/link-rows.ts';
import {maxRanked} from '../../../src/links/rank/ranked.ts';
import {maxNames} from '../../../src/links/stats/conversion-names.ts';
import {maxDays} from '../../../src/links/stats/visit-stats.ts';
import {windowLength} from '../../../src/visits/attempts.ts';

const minute = 60_000;

/** Numbers that sites rely on, in sentences that nothing generates. */
const promised: ReadonlyArray<readonly [page: string, sentence: string, actual: number]> = [
  ['README.md', '// {} or more random characters', minSecretLength],
  ['SECURITY.md', 'at a link in {} minutes, across all processes', windowLength / minute],
  [
    'docs/api.md',
    'For {} hours, the same account, key and parameters give the same answer',
    intentLife / (60 * minute),
  ],
  ['docs/conversions.md', 'The same name and id count once in {} days', lifeInDays],
  ['docs/conversions.md', 'A site has at most {} names', maxNames],
  ['docs/conversions.md', 'record at most {} conversions and new customers per day', maxPerDay],
  ['docs/reference.md', 'an account can have up to {} labelled keys', maxKeys],
  ['docs/reference.md', 'the days with any among the last {}, oldest first', maxDays],
  ['docs/reference.md', 'for at most {} links (otherwise `too_many_links`)', maxRanked],
  ['docs/reference.md', "reads the site's links, for up to {} of them", maxOfSite],
  ['docs/reference.md', 'works for at most {} links that match', maxRanked],
];

for (const [page, sentence, actual] of promised) {
  test(`${page} says what the program does: ${sentence}`, async (t) => {
    const text = await readFile(page, 'utf8');
    const expected = sentence.replace('{}', actual.toLocaleString('en'));
    t.true(text.replaceAll(/\s+/g, ' ').includes(expected), `${page} should say "${expected}"`);
  });
}
