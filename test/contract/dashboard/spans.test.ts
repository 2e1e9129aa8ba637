import '../../support/quick-scrypt.ts';
import test from 'ava';
import {errorOf, open, type Stage, textOf} from '../../support/dashboard.ts';
import {openAsPerson} from '../../support/visitor.ts';

const day = 24 * 60 * 60 * 1000;

/** One visit on each of these days before today, the 6th of May 2031. */
async function fill({shortener, clock}: Stage, ...daysAgo: readonly number[]): Promise<string> {
  const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'spring'});
  const now = clock.now;
  for (const ago of daysAgo) {
    clock.now = now - ago * day;
    await openAsPerson(shortUrl);
  }
  clock.now = now;
  return `link?short_url=${encodeURIComponent(shortUrl)}`;
}

test('a span can be chosen for a link, the account and the site, beside the span before it', async (t) => {
  const stage = await open(t);
  const link = await fill(stage, 0, 1, 5, 6, 7, 8, 40);
  const spans = {
    '': /Visits 6 30 days before: 1 \(\+500%\) 6 visits in the last 30 days\./,
    'days=7': /Visits 4 7 days before: 2 \(\+100%\) 4 visits in the last 7 days\./,
    'days=365': /Visits 7 7 visits in the last 365 days\./,
    'days=month': /Visits 3 Apr 1 – 6, 2031: 0 3 visits from May 1, 2031 to May 6, 2031\./,
    'from=2031-04-28&until=2031-04-29': /Visits 2 2 days before: 0 2 visits from Apr 28, 2031 to Apr 29, 2031\./,
    'from=2031-05-04&until=2031-05-04': /Visits 0 1 day before: 0 No visits from May 4, 2031 to May 4, 2031/,
    'days=8': /6 visits in the last 30 days\./,
  };
  for (const [query, expected] of Object.entries(spans)) {
    for (const [account, page] of [
      ['ann', link],
      ['ann', '?tag='],
      ['operator', 'operator?'],
    ] as const) {
      const {text, status, url} = await stage.visitor(account).get(`${page}&${query}`);
      t.is(status, 200, url);
      t.regex(textOf(text), expected, url);
      t.regex(textOf(text), /All time( Accounts 2)?( Links 1)? Total visits 7/, url);
    }
  }
});

test('the links and the form of a span keep the link, or the filter of the list', async (t) => {
  const stage = await open(t);
  const link = await fill(stage, 0);
  const ann = stage.visitor('ann');
  const {text} = await ann.get(link);
  t.true(text.includes(`href="./${link}&amp;days=month#links-visits"`), text);
  t.regex(text, /action="\.\/link#links-visits"[^]*<input type="hidden" name="short_url" value="http[^"]+\/spring"/);
  const home = await ann.get('?search=spring&days=7');
  t.true(home.text.includes('href="./?search=spring&amp;days=month#links-visits"'));
  t.regex(home.text, /aria-current="true">7 days</);
});

test('days that are not in order are refused with a message, and keep what was entered', async (t) => {
  const stage = await open(t);
  const link = await fill(stage, 0);
  for (const query of [
    'from=2031-05-02&until=2031-05-01',
    'from=2031-02-30&until=2031-05-01',
    'from=2031-05-01',
    'until=2031-05-01',
    'from=2031-05-06&until=2031-05-07',
    'from=2030-04-01&until=2031-05-01',
    `from=${'9'.repeat(5000)}&until=%00`,
  ]) {
    for (const page of [link, '?tag=']) {
      const {text, status} = await stage.visitor('ann').get(`${page}&${query}`);
      t.is(status, 400, query);
      t.is(errorOf(text, 'from'), 'Choose two of the last 400 days. The first must not be after the last.');
      t.true(textOf(text).includes('1 visit in the last 30 days.'));
    }
  }
  const {text} = await stage.visitor('ann').get(`${link}&from=2031-05-02&until=2031-05-01`);
  t.regex(text, /name="from"[^>]*value="2031-05-02"/);
  t.regex(text, /name="until"[^>]*value="2031-05-01"/);
  t.is((await stage.visitor('ann').get(`${link}&from=2030-04-02&until=2031-05-06`)).status, 200);
});
