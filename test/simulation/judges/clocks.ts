import {accounts, isRefused} from '../seen.ts';
import {isCreate} from './creates.ts';
import type {Story} from '../story.ts';

const aMinute = 60_000;
const aDay = 24 * 60 * aMinute;

/** What a wrong clock has written refuses nobody once it is right: no create, and after half an hour no password. */
export async function healing(story: Story): Promise<string[]> {
  const {seen, world, plan} = story;
  if (world.clockDifference === 0) return [];
  const problems: string[] = [];
  for (const account of plan.quota > 0 ? accounts.keys() : []) {
    const own = seen.filter((each) => each.account === accounts[account] && isCreate(each) && !isRefused(each));
    // A clock that is a day ahead uses the quota of the next day.
    if (own.filter(({ahead = 0}) => ahead < 2 * aDay).length >= plan.quota) continue;
    const {code} = await story.calmly(world.open(), {do: 'create', account, variant: 1});
    if (code === 429) problems.push(`${accounts[account]} may not create although the clocks are right`);
  }
  const attempts = plan.clients.flat().filter(({do: deed}) => deed === 'attempt');
  await world.wait(31 * aMinute);
  for (const {account, link} of attempts) {
    for (const site of world.running) {
      // The password is right, so that it does not count.
      const {code, ip, slug} = await story.calmly(site, {do: 'attempt', account, link, variant: 4});
      if (code === 429)
        problems.push(`${ip} may not try a password at ${slug} half an hour after the clocks are right`);
    }
  }
  return problems;
}
