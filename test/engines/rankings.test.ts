import {eachOf} from '../support/engines/each.ts';
import {engines, freshOn} from '../support/engines/engines.ts';
import {startSite} from '../support/site.ts';
import {viaOf} from '../support/visitor.ts';

const onEach = await eachOf(engines);

onEach((check) => {
  check('links are listed by their visits, their last visit or their conversions', async (t, engine) => {
    const site = await startSite(t, {shortUrl: {...(await freshOn(engine, t)), attribution: {}}});
    const {links, conversions} = site.shortener;
    // The visits of each link, and the names of its conversions.
    const made = [
      ['a', 3, []],
      ['b', 1, ['order', 'registration', 'registration']],
      ['c', 0, []],
      ['d', 2, ['order', 'order']],
    ] as const;
    for (const [customUrl, visits, names] of made) {
      const {shortUrl} = await links.create('user-42', {url: 'https://destination.example/page', customUrl});
      let via: string | undefined;
      for (let visit = 0; visit < visits; visit += 1) {
        const reply = await site.visit(shortUrl);
        via = viaOf(reply.headers['set-cookie']);
      }
      for (const [index, name] of names.entries()) await conversions.record({via}, {name, id: `${customUrl}${index}`});
      site.clock.now += 1000;
    }
    for (const [order, expected] of [
      ['visits', 'adbc'],
      ['last_visit', 'dbac'],
      ['conversions', 'dbca'],
    ] as const) {
      let found = '';
      let cursor: string | undefined;
      do {
        const page = await links.page('user-42', {order, limit: 1, cursor});
        found += page.links.map(({shortUrlPart}) => shortUrlPart).join('');
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      t.is(found, expected, order);
    }
  });
});
