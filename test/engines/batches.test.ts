import {type CreateLink, shortUrl} from '../../src/index.ts';
import {collect} from '../support/collect.ts';
import {range} from '../support/engines/crowd.ts';
import {eachOf} from '../support/engines/each.ts';
import {engines, freshOn} from '../support/engines/engines.ts';

const onEach = await eachOf(engines);
const many = 1000;

/** Every tenth link asks for the short part of an earlier one in the same batch, and is refused. */
function inputOf(number: number): CreateLink {
  const customUrl = `link-${number % 10 === 9 ? number - (number % 4) - 1 : number}`;
  return {url: `https://destination.example/${number}`, customUrl};
}

onEach((check) => {
  check(
    'each link of a batch is created once, in order, and the first one gets a contested short part',
    async (t, engine) => {
      await using shortener = shortUrl({
        baseUrl: 'https://example.com',
        ...(await freshOn(engine, t)),
        createQuota: many,
      });
      const {accounts, links} = shortener;
      await accounts.create('ann');
      const made: string[] = [];
      const ids = new Set<number>();
      let number = 0;
      for await (const {link, error} of links.createMany('ann', range(many).map(inputOf))) {
        if (number % 10 === 9) t.is(error?.code, 'custom_url_taken');
        else t.is(link?.originalUrl, `https://destination.example/${number}`);
        if (link) {
          made.push(link.shortUrl);
          ids.add(link.urlId);
        }
        number += 1;
      }
      t.is(number, many);
      t.is(ids.size, made.length);
      const listed = (await collect(links.list('ann'))).map(({shortUrl}) => shortUrl);
      t.deepEqual(listed.toSorted(), made.toSorted());
    },
  );
});
