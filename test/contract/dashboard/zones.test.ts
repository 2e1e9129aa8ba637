import '../../support/quick-scrypt.ts';
import test from 'ava';
import {open, textOf} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
import {openAsPerson} from '../../support/visitor.ts';

/** The time zone of a site, and a moment near its midnight, with the day of the site. */
const moments = [
  ['UTC', '2031-05-06T00:00:30Z', '2031-05-06'],
  ['UTC', '2031-05-06T23:59:30Z', '2031-05-06'],
  ['Asia/Tokyo', '2031-05-05T15:00:30Z', '2031-05-06'],
  ['Asia/Tokyo', '2031-05-05T14:59:30Z', '2031-05-05'],
  ['Asia/Kolkata', '2031-05-05T18:30:30Z', '2031-05-06'],
  ['Pacific/Kiritimati', '2031-05-05T10:00:30Z', '2031-05-06'],
  ['America/New_York', '2031-05-07T03:59:30Z', '2031-05-06'],
  ['America/New_York', '2031-05-07T04:00:30Z', '2031-05-07'],
  ['Pacific/Pago_Pago', '2031-05-07T10:59:30Z', '2031-05-06'],
] as const;

for (const [timeZone, moment, today] of moments) {
  test(`in ${timeZone}, a visit at ${moment} is one of ${today} in all statistics`, async (t) => {
    const stage = await open(t, {shortUrl: {timeZone}});
    const {accounts, admin, links} = stage.shortener;
    stage.clock.now = Date.parse(moment);
    const {shortUrl} = await links.create('ann', {url: 'https://example.org/', tags: ['mail']});
    await openAsPerson(shortUrl);
    const span = {from: today, until: today};
    const counted = async (days: object): Promise<number[]> => [
      (await links.stats('ann', shortUrl, days)).totalVisits,
      (await accounts.stats('ann', days)).totalVisits,
      (await accounts.stats('ann', {...days, tag: 'mail'})).totalVisits,
      (await admin.stats(days)).totalVisits,
      (await links.compare('ann', days)).visits,
      (await links.compareTags('ann', days)).visits,
    ];
    t.deepEqual(await counted(span), [1, 1, 1, 1, 1, 1]);
    t.deepEqual(await counted({from: today}), [1, 1, 1, 1, 1, 1]);
    t.is((await links.stats('ann', shortUrl)).days.find(({visits}) => visits > 0)?.date, today);
    t.deepEqual((await links.page('ann', {days: 1})).links[0]?.days, [{date: today, visits: 1}]);

    const pages = [linkPath(shortUrl), '?tag=mail', 'compare?tag=mail', 'operator?page='];
    for (const page of pages) {
      const {text} = await stage
        .visitor(page.startsWith('operator') ? 'operator' : 'ann')
        .get(`${page}&from=${today}&until=${today}`);
      t.regex(textOf(text), /\b1 visit\b|Visits 1\b/, page);
      t.regex(text, new RegExp(`name="until"[^>]*max="${today}"|max="${today}"[^>]*name="until"`), page);
    }
    const {text} = await stage.visitor('ann').get('links.csv?days=7');
    t.regex(text, new RegExp(`,${today},1\\r\\n`));
  });
}
