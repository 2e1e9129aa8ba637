import {accounts, slugs} from '../seen.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';

/** Each order counts once, for one link, in the totals of its account and, unless it was removed, of the link. */
export async function conversions({seen, world}: Story, {links, accounts: all}: Site): Promise<string[]> {
  const orders = seen.filter(({do: deed, order, code}) => deed === 'convert' && order !== undefined && code === 200);
  // The visitors of a removed account are counted no more.
  if (orders.length === 0 || seen.some((each) => each.do === 'expel')) return [];
  const problems: string[] = [];
  const expected = new Map<number, number>();
  for (const order of new Set(orders.map((each) => each.order))) {
    const brought = new Set(orders.filter((each) => each.order === order).flatMap(({link}) => link?.urlId ?? []));
    if (brought.size > 1) problems.push(`The order ${order} has the links ${[...brought].join()}`);
    for (const id of brought) expected.set(id, (expected.get(id) ?? 0) + 1);
  }
  let total = 0;
  let listed = 0;
  for (const name of accounts) {
    const account = await all.require(name);
    const [counted] = (await links.accountStats(account)).conversions;
    total += counted?.conversions ?? 0;
    for (const slug of slugs) {
      const found = await links.linkAndStats(account, `https://example.com/${slug}`).catch(() => undefined);
      if (found === undefined) continue;
      const made = found.stats.conversions[0]?.conversions ?? 0;
      listed += made;
      const wanted = expected.get(found.link.urlId) ?? 0;
      if (made !== wanted) problems.push(`${slug} has ${made} conversions instead of ${wanted}`);
    }
  }
  const sum = Array.from(expected.values()).reduce((one, other) => one + other, 0);
  const mayLack = world.isCluster && world.isTroubled;
  if (mayLack ? total > sum : total !== sum) problems.push(`The accounts have ${total} conversions instead of ${sum}`);
  if (!mayLack && listed > total) problems.push(`The links have ${listed} conversions, and their accounts ${total}`);
  return problems;
}
