import test from 'ava';
import {compareLinks} from '../../../../src/links/stats/comparison.ts';
import {account, start, url} from '../../../support/links-world.ts';

test('of more links than can be compared the newest are, and their number is told', async (t) => {
  const {links, store} = start();
  for (const tag of ['a', 'b', 'c']) await links.create(account, {url, tags: [tag]});
  const compare = (limit: number) => compareLinks({store, today: 0, limit}, account.generation, undefined);
  t.like(await compare(2), {links: 2, isComplete: false, tags: [{tag: 'b'}, {tag: 'c'}]});
  t.like(await compare(3), {links: 3, isComplete: true, tags: [{tag: 'a'}, {tag: 'b'}, {tag: 'c'}]});
});
