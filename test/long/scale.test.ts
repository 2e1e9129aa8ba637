import {crowd, range} from '../support/engines/crowd.ts';
import {eachOf} from '../support/engines/each.ts';
import {engines, freshOn} from '../support/engines/engines.ts';
import {collectGarbage} from '../support/heap.ts';
import {startSite} from '../support/site.ts';

const onEach = await eachOf(engines);
/** Fewer on servers that flush each create to disk, where the test would take a minute. */
const lengths: Readonly<Record<string, number>> = {postgres: 4000, mysql: 4000};
const url = `https://destination.example/${'a'.repeat(970)}`;

onEach((check) => {
  check(
    'an account with thousands of links is listed completely, in both formats, in bounded memory',
    async (t, engine) => {
      const site = await startSite(t, {shortUrl: await freshOn(engine, t)});
      const {links} = site.shortener;
      const many = lengths[engine.name] ?? 10_000;
      const made = await crowd(range(many), 50, async () => (await links.create('user-42', {url})).shortUrl);
      const off = made.filter((_, index) => index % 1000 === 999);
      for (const shortUrl of off) await links.disable('user-42', shortUrl);

      const active = (await site.list()).sort();
      t.is(active.length, many - off.length);
      t.deepEqual(active, made.filter((shortUrl) => !off.includes(shortUrl)).sort());
      const xml = await site.api('list_active_urls', {}, {suffix: '.xml'});
      const {urls} = (xml.xml() as {data: {urls: Array<{short_url: string}>}}).data;
      t.deepEqual(urls.map(({short_url}) => short_url).sort(), active);

      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      let maxBytes = 0;
      let count = 0;
      let characters = 0;
      for await (const link of links.list('user-42')) {
        characters += link.originalUrl.length;
        if (++count % 1000 !== 0) continue;
        collectGarbage();
        maxBytes = Math.max(maxBytes, process.memoryUsage().heapUsed - before);
      }
      t.is(count, many);
      // Each link holds its long URL twice, as given and serialised, and five hundred links are read at a time.
      t.true(maxBytes < 2 * characters, `${maxBytes} bytes were in use for ${characters} characters of links`);
    },
  );
});
