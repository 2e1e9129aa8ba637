import test from 'ava';
import {accepted} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';
import type {World} from '../../support/worlds.ts';
import {asXmlReads} from '../../support/xml.ts';

/** The operation stats. */
export function statistics(world: World): void {
  test('stats answers the full record, the days, the details and the time, in that order', async (t) => {
    const site = await startSite(t, {world});
    const link = await site.create({custom_url: 'spring', title: 'Spring', tags: 'mail'});
    const {short_url} = link;
    const fresh = accepted(t, await site.api('stats', {short_url}));
    t.deepEqual(fresh.days, []);
    t.deepEqual(fresh.details, {});

    const from = (referrer: string) => ({headers: {Referer: referrer}});
    await site.visit(short_url, from('https://news.example/a/b?c'));
    await site.visit(short_url);
    site.clock.set('2031-05-07T08:09:10Z');
    await site.visit(short_url, from('https://news.example/'));
    const data = accepted(t, await site.api('stats', {short_url}));
    t.deepEqual(Object.entries(data), [
      ...Object.entries(await site.info(short_url)).slice(0, -1),
      ['title', 'Spring'],
      ['tags', ['mail']],
      ['max_visits', null],
      ['start_date', null],
      ['expired_url', null],
      ['forward_query', false],
      ['rules', []],
      ['preview_title', null],
      ['preview_description', null],
      ['preview_image', null],
      ['reference', null],
      [
        'days',
        [
          {date: '2031-05-06', visits: 2, conversions: 0},
          {date: '2031-05-07', visits: 1, conversions: 0},
        ],
      ],
      [
        'details',
        {
          referrer: [
            {value: 'news.example', visits: 2},
            {value: 'direct', visits: 1},
          ],
        },
      ],
      ['conversions', []],
      ['date_time', '2031-05-07 08:09:10'],
    ]);
  });

  test('in XML the details are rows with name, value and visits, and have the content of the JSON', async (t) => {
    const visitDetails = () => ({device: '<phone> & "more"', browser_2: 'é'});
    const site = await startSite(t, {world, shortUrl: {visitDetails}});
    const {short_url} = await site.create();
    await site.visit(short_url);
    const json = await site.api('stats', {short_url});
    const xml = await site.api('stats', {short_url}, {suffix: '.xml'});
    t.deepEqual(xml.xml(), asXmlReads(json.json()));
    t.regex(
      xml.text,
      /<detail><name>device<\/name><value>&lt;phone&gt; &amp; (&quot;|")more(&quot;|")<\/value><visits>1<\/visits><\/detail>/,
    );
    t.regex(
      xml.text,
      /<days><day><date>2031-05-06<\/date><visits>1<\/visits><conversions>0<\/conversions><\/day><\/days><details><detail>/,
    );
  });
}
