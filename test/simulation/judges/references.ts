import {accounts, isRefused, reference} from '../seen.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';

/** At most one link of an account has the reference, which leads to it. It is refused only if another link got it. */
export async function references({seen}: Story, {links, accounts: all}: Site): Promise<string[]> {
  const asked = seen.filter(({input}) => input?.reference === reference);
  const problems = asked
    .filter(({error}) => error === 'reference_taken')
    .filter((each) => {
      const rivals = asked.filter(({account, start}) => account === each.account && start < each.end);
      return rivals.every(isRefused);
    })
    .map(({account, start}) => `${account} is refused ${reference} at ${start}, which no link has`);
  for (const name of asked.length > 0 ? accounts : []) {
    const account = await all.find(name);
    if (account === undefined) continue;
    const holders: string[] = [];
    for await (const link of links.list(account)) if (link.reference === reference) holders.push(link.shortUrlPart);
    const found = await links.info(account, {reference}).catch(() => undefined);
    if (holders.length > 1 || found?.shortUrlPart !== holders[0])
      problems.push(`${name} has ${reference} at ${holders.join()}, and it leads to ${String(found?.shortUrlPart)}`);
  }
  return problems;
}
