import '../../support/quick-scrypt.ts';
import test from 'ava';
import {open} from '../../support/dashboard.ts';
import {openAsPerson} from '../../support/visitor.ts';

test('the visits of a link and of an account can be saved as CSV, by day and by detail', async (t) => {
  const {visitor, shortener, origin, clock} = await open(t, {
    shortUrl: {visitDetails: (ctx) => ({source: ctx.get('X-Source')})},
  });
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'spring'});
  await shortener.links.create('ann', {url: 'https://example.org/', customUrl: 'autumn'});
  await openAsPerson(`${origin}/spring`, {'X-Source': '=HYPERLINK("https://evil.example")'});
  clock.now += 24 * 60 * 60 * 1000;
  await openAsPerson(`${origin}/spring`, {'X-Source': 'é'});
  await openAsPerson(`${origin}/autumn`, {'X-Source': 'mail'});
  const ann = visitor('ann');
  const link = await ann.get(`visits.csv?short_url=${encodeURIComponent(`${origin}/spring`)}`);
  t.is(link.status, 200);
  t.is(link.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(link.headers.get('content-disposition'), 'attachment; filename="visits-spring.csv"');
  t.is(link.headers.get('cache-control'), 'no-store');
  const [header, ...rows] = link.text.trimEnd().split('\r\n');
  t.is(header, 'kind,name,value,visits');
  t.deepEqual(rows.slice(0, 3), ['total,,,2', 'day,,2031-05-06,1', 'day,,2031-05-07,1']);
  t.is(rows.length, 5);
  // A spreadsheet would run a cell that begins with an equals sign.
  t.true(rows.includes(`detail,source,"'=HYPERLINK(""https://evil.example"")",1`), rows.join());

  const account = await ann.get('visits.csv');
  t.is(account.headers.get('content-disposition'), 'attachment; filename="visits.csv"');
  t.true(account.text.includes('total,,,3\r\n'));
  t.true(account.text.includes('day,,2031-05-07,2\r\n'));
  t.true(account.text.includes('detail,source,mail,1\r\n'));
  for (const page of ['', `link?short_url=${encodeURIComponent(`${origin}/spring`)}`]) {
    const [, address = ''] =
      /href="([^"]*visits\.csv[^"]*)" download>Download as CSV</.exec((await ann.get(page)).text) ?? [];
    t.is((await ann.get(address)).status, 200, page);
  }
  t.is((await visitor('bob').get(`visits.csv?short_url=${encodeURIComponent(`${origin}/spring`)}`)).status, 404);
});
