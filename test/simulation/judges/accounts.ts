import {accounts, isRefused, type Seen} from '../seen.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';

/** A key works until a rotation or a removal is acknowledged, and never after that. */
export function keys({seen}: Story): string[] {
  return seen.flatMap((use) => {
    if (!['authenticate', 'call'].includes(use.do) || use.end === Infinity || use.key === undefined) return [];
    if (use.do === 'authenticate' && use.code === 500) return [`A key of ${use.account} belongs to another account`];
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
    const works = use.code !== 401;
    if (isOver && works) return [`A key of ${use.account} works at ${use.start}, after its end`];
    const mayBeOver = ends.some((end) => end.end > first.start && end.start < use.end && !isRefused(end));
    if (!mayBeOver && !works) return [`A key of ${use.account} does not work at ${use.start}`];
    return [];
  });
}

/** A key runs the operations of its scope, and no others. */
export function scopes({seen}: Story): string[] {
  const order = ['read', 'create', 'full'];
  return seen.flatMap(({account, start, scope = '', needed = '', code, error}) => {
    const isAllowed = order.indexOf(needed) <= order.indexOf(scope);
    const isWrong = isAllowed ? error === 'insufficient_scope' : code === 200;
    return isWrong ? [`A key of ${account} for ${scope} has run ${needed} with ${code} at ${start}`] : [];
  });
}

/** No visitor follows a link of an account whose removal was acknowledged before. */
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
        .filter((visit) => visit.start > removal.end && visit.followed?.account === removal.account)
        .filter((visit) => old.has(visit.followed?.url) && !mayRemember(visit, seen, ['expel']))
        .map(({slug, start}) => `${slug} redirects at ${start}, after its account was removed at ${removal.end}`);
    });
}

/** What the API and code do for an account only while it is not blocked. */
const ofOpenAccounts: ReadonlyArray<Seen['do']> = [
  'create',
  'createMany',
  'createOnce',
  'import',
  'update',
  'updateMany',
  'date',
  'limit',
  'disable',
  'enable',
  'remove',
  'info',
  'list',
  'page',
  'issueKey',
  'revokeKey',
  'call',
];

/**
 * From the acknowledgement of an account's block until it is lifted, its calls are refused and no visitor follows its
 * links. After that, no call is refused for it.
 */
export function accountBlocks({seen}: Story): string[] {
  const blocks = seen.filter((each) => each.do === 'blockAccount');
  // A blocked account that is removed is blocked when it is created again.
  const lifts = seen.filter((each) => each.do === 'unblockAccount');
  const ends = seen.filter((each) => each.do === 'unblockAccount' || each.do === 'expel');
  const isLast = (change: Seen, others: readonly Seen[], each: Seen): boolean =>
    change.code === 200 &&
    change.end < each.start &&
    others.every((other) => other.end < change.start || other.start > each.end);
  return seen.flatMap((each) => {
    const {slug, start, followed} = each;
    const isOwn = blocks.some(({account}) => account === each.account) && ofOpenAccounts.includes(each.do);
    const isOfBlocked = isOwn || blocks.some(({account}) => account === followed?.account);
    if (!isOfBlocked || each.end === Infinity) return [];
    if (each.error === 'account_blocked') {
      const isOpen = lifts.some((lift) => isLast(lift, blocks, each));
      return isOpen ? [`${each.account} is refused at ${start}, after its block was lifted`] : [];
    }
    if (!blocks.some((block) => isLast(block, ends, each))) return [];
    if (isOwn && each.code === 200)
      return [`${each.account} is not refused its ${each.do} at ${start}, after its block`];
    if (followed === undefined || mayRemember(each, seen, ['blockAccount'])) return [];
    return [`${slug} redirects at ${start}, after its account was blocked`];
  });
}

/** Whether a visitor may follow a link as its process last saw it: in an outage, if another process has changed the account. */
function mayRemember(visit: Seen, seen: readonly Seen[], deeds: ReadonlyArray<Seen['do']>): boolean {
  const changes = seen.filter((each) => deeds.includes(each.do) && each.account === visit.followed?.account);
  return visit.isInOutage === true && changes.some(({process}) => process !== visit.process);
}

/** The key of an account is shown as it was given, and works. The list of all accounts has each of these once. */
export async function shownKeys(_: Story, {accounts: all}: Site): Promise<string[]> {
  const problems: string[] = [];
  const listed: string[] = [];
  for await (const {id} of all.list()) listed.push(id);
  for (const name of accounts) {
    const apiKey = await all.apiKey(name);
    const times = listed.filter((each) => each === name).length;
    if (times !== (apiKey === undefined ? 0 : 1)) problems.push(`${name} is listed ${times} times`);
    if (apiKey === undefined) continue;
    const found = await all.authenticate(apiKey);
    if (found?.account.id !== name) problems.push(`The key that ${name} is shown does not work`);
  }
  return problems;
}
