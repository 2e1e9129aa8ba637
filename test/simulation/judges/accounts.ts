import {accounts, type Seen, type Story} from '../story.ts';
import type {Site} from '../world.ts';

/** A key works until a rotation or a removal is acknowledged, and never after that. */
export function keys({seen}: Story): string[] {
  return seen.flatMap((use) => {
    if (use.do !== 'authenticate' || use.end === Infinity || use.key === undefined) return [];
    if (use.code === 500) return [`A key of ${use.account} belongs to another account`];
    const issues = seen.filter(
      ({key, do: deed}) => key === use.key && ['register', 'rotate', 'issueKey'].includes(deed),
    );
    const first = issues.reduce((one, other) => (other.end < one.end ? other : one));
    const isLabelled = first.do === 'issueKey';
    const ends = seen.filter((each) => {
      if (each.account !== use.account) return false;
      if (each.do === 'revokeKey') return each.key === use.key;
      return each.do === 'expel' || (each.do === 'rotate' && !isLabelled && each.key !== use.key);
    });
    const isOver = ends.some((end) => end.code === 200 && end.start > first.end && end.end < use.start);
    if (isOver && use.code === 200) return [`A key of ${use.account} works at ${use.start}, after its end`];
    const mayBeOver = ends.some((end) => end.end > first.start && end.start < use.end && !isRefused(end));
    if (!mayBeOver && use.code !== 200) return [`A key of ${use.account} does not work at ${use.start}`];
    return [];
  });
}

/** No visitor follows a link of an account whose removal was acknowledged before, except from the memory of an outage. */
export function removals({seen}: Story): string[] {
  return seen
    .filter((each) => each.do === 'expel' && each.code === 200)
    .flatMap((removal) => {
      const old = new Set(
        seen
          .filter(({account, start, input}) => account === removal.account && start < removal.start && input?.url)
          .map(({input}) => input?.url),
      );
      return seen
        .filter(
          ({followed, start, isInOutage}) =>
            start > removal.end && !isInOutage && followed?.account === removal.account,
        )
        .filter(({followed}) => old.has(followed?.url))
        .map(({slug, start}) => `${slug} redirects at ${start}, after its account was removed at ${removal.end}`);
    });
}

/** No visitor follows a link of an account whose block was acknowledged before. */
export function accountBlocks({seen}: Story): string[] {
  const blocks = seen.filter((each) => each.do === 'blockAccount' && each.code === 200);
  const ends = seen.filter((each) => each.do === 'unblockAccount' || each.do === 'expel');
  return seen.flatMap(({slug, start, end, followed, isInOutage}) => {
    const block = blocks.find(
      (each) => each.end < start && ends.every((other) => other.end < each.start || other.start > end),
    );
    if (!block || isInOutage || followed?.account !== block.account) return [];
    return [`${slug} redirects at ${start}, after its account was blocked at ${block.end}`];
  });
}

/** The key of an account is shown as it was given, and works. */
export async function shownKeys(_: Story, {accounts: all}: Site): Promise<string[]> {
  const problems: string[] = [];
  for (const name of accounts) {
    const apiKey = await all.apiKey(name);
    if (apiKey === undefined) continue;
    const found = await all.authenticate(apiKey);
    if (found?.account.id !== name) problems.push(`The key that ${name} is shown does not work`);
  }
  return problems;
}

function isRefused({code}: Seen): boolean {
  return code !== undefined && code >= 400 && code !== 503;
}
