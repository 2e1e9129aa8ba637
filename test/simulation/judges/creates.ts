import {quotaRecords} from '../../../src/links/daily-quota.ts';
import {accounts, isRefused, reuseUrl, type Seen} from '../seen.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';

/** No `url_id` is given twice, and an account creates no more links a day than its quota. */
export function creates({seen, plan, world}: Story): string[] {
  const problems: string[] = [];
  const all = seen.filter(isCreate);
  const created = all.filter(
    (each, index) =>
      each.code === 200 &&
      (!mayFind(each) || all.findIndex((other) => other.link?.urlId === each.link?.urlId) === index),
  );
  const ids = created.map(({link}) => link?.urlId);
  if (new Set(ids).size < ids.length) problems.push(`A url_id was given twice: ${ids.join()}`);
  // The day of the account is one of another clock.
  if (plan.quota === 0 || world.clockDifference > 0) return problems;
  for (const account of accounts) {
    // A repeat may be answered on the day after.
    const own = created.filter((each) => each.account === account && !mayFind(each));
    for (const day of new Set(own.map(({began}) => dayOf(began)))) {
      const today = own.filter(({began, ended}) => dayOf(began) === day && dayOf(ended) === day);
      if (today.length > plan.quota) {
        problems.push(`${account} has created ${today.length} links with a quota of ${plan.quota}`);
      }
    }
    if (world.isTroubled) continue;
    const others = all.filter((each) => each.account === account && !isRefused(each));
    for (const refused of all.filter((each) => each.account === account && each.code === 429)) {
      const meanwhile = all.filter(({start, end}) => start < refused.end && end > refused.start).length;
      const before = others.filter(({end}) => end < refused.start).length;
      if (before + meanwhile - 1 < plan.quota) {
        problems.push(`${account} was refused its create ${before + meanwhile} of ${plan.quota}`);
      }
    }
  }
  return problems;
}

export function isCreate(seen: Seen): boolean {
  const isCall = seen.do === 'call' && seen.needed === 'create';
  return seen.do === 'create' || seen.do === 'createOnce' || isCall;
}

function dayOf(date: number): number {
  return Math.floor(date / 86_400_000);
}

/** Whether the answer may be a link that another call has made. */
function mayFind({once, input}: Seen): boolean {
  return once !== undefined || input?.reuse === true;
}

/** For how long an idempotency key is known, in milliseconds. */
const lifetime = 24 * 60 * 60_000;

/** However often a create is repeated with its key within a day, it has one answer. Clocks that differ make the day shorter. */
export function answersOnce({seen, world}: Story): string[] {
  const problems: string[] = [];
  const creates = seen.filter(isCreate);
  const keyed = creates.filter(({once}) => once !== undefined);
  for (const key of new Set(keyed.map(({account, once}) => `${account} ${once}`))) {
    const own = keyed.filter(
      ({account, once, start}) => `${account} ${once}` === key && start > lastRemoval(seen, account),
    );
    const [first] = own;
    const repeats = own.filter(({ended}) => ended < (first?.began ?? 0) + lifetime - world.clockDifference);
    const done = repeats.filter(({code}) => code === 200);
    const answers = new Set(done.map(({link}) => JSON.stringify(link)));
    if (answers.size > 1) problems.push(`${key} has the answers ${Array.from(answers).join(' and ')}`);
    for (const {start, code, error, input} of repeats) {
      if (code === 200 || code === 503 || error === 'account_blocked' || error === 'idempotency_key_reused') continue;
      const before = done.find(({end, input: other}) => end < start && other?.url === input?.url);
      if (before) problems.push(`${key} is refused with ${code} at ${start}, after its success at ${before.end}`);
      const isAlone = !creates.some((other) => !own.includes(other) && other.input?.customUrl === input?.customUrl);
      if (code === 409 && isAlone) problems.push(`${key} is refused at ${start}, because its own link is there`);
    }
  }
  return problems;
}

/** However often a create is repeated with its key within a day, it creates one link. */
export async function linksOnce({seen, world}: Story, site: Site): Promise<string[]> {
  const problems: string[] = [];
  const keyed = seen.filter(({once}) => once !== undefined);
  if (keyed.some(({began}) => world.timeline.date - began >= lifetime - world.clockDifference)) return [];
  for (const url of new Set(keyed.map(({input}) => input?.url))) {
    // Others may have removed a link whose short part they know, or have made it anew.
    const own = keyed.filter(({input}) => input?.url === url && input?.customUrl === undefined);
    for (const account of new Set(own.map((each) => each.account))) {
      const owner = await site.accounts.find(account);
      if (owner === undefined) continue;
      let links = 0;
      for await (const {originalUrl} of site.links.list(owner)) links += Number(originalUrl === url);
      const isDone = own.some(
        (each) => each.account === account && each.code === 200 && each.start > lastRemoval(seen, account),
      );
      if (links > 1 || (isDone && links === 0)) problems.push(`${account} has ${links} links to ${url}`);
    }
  }
  return problems;
}

/** Calls with `reuse` and the same parameters have one link, however many run at once. */
export async function reuses({seen}: Story, {accounts: all, links}: Site): Promise<string[]> {
  const problems: string[] = [];
  for (const name of accounts) {
    const own = seen.filter(({account, input}) => account === name && input?.reuse === true);
    const account = own.length > 0 ? await all.find(name) : undefined;
    // A blocked link is not reused.
    if (account === undefined || seen.some((each) => each.do === 'blockAccount' && each.account === name)) continue;
    let found = 0;
    for await (const {originalUrl} of links.list(account)) found += Number(originalUrl === reuseUrl);
    const removals = seen.filter((each) => each.do === 'removeReused' && each.account === name);
    const isDone = own.some(
      ({code, start}) => code === 200 && start > lastRemoval(seen, name) && removals.every(({end}) => end < start),
    );
    if (found > 1 || (isDone && found === 0)) problems.push(`${name} has ${found} links to ${reuseUrl}`);
  }
  return problems;
}

/** An account has used as much of its quota as it has created links, and no more for what was refused. */
export async function usedQuota({seen, plan, world}: Story, {store, siteKey}: Site): Promise<string[]> {
  const problems: string[] = [];
  for (const name of plan.quota > 0 && world.clockDifference === 0 ? accounts : []) {
    const day = (await quotaRecords.in(store).get(await siteKey.idFor(quotaRecords, 'links', name)))?.value;
    const all = seen.filter((each) => each.account === name && isCreate(each));
    // Some may count for another day, or for the account before its removal.
    const isOfDay = (time: number): boolean => dayOf(time) === dayOf((day?.until ?? 0) - 1);
    const isOneDay = all.every(({began, ended}) => isOfDay(began) && (ended === Infinity || isOfDay(ended)));
    if (day === undefined || !isOneDay || lastRemoval(seen, name) > -Infinity) continue;
    const made = new Set(all.filter(({code}) => code === 200).map(({link}) => link?.urlId)).size;
    const open = all.filter((each) => each.code !== 200 && !isRefused(each)).length;
    // A unit that could not be given back counts.
    const most = world.isTroubled ? Infinity : made + open;
    if (day.used < made || day.used > most)
      problems.push(`${name} has used ${day.used} of its quota for ${made} links`);
  }
  return problems;
}

/** When the account may last have been removed. An account that is created again has other keys and links. */
function lastRemoval(seen: readonly Seen[], account: string): number {
  const removals = seen.filter((each) => each.do === 'expel' && each.account === account);
  return Math.max(-Infinity, ...removals.map(({end}) => end));
}
