import {accounts, type Seen, slugs} from '../seen.ts';
import type {Story} from '../story.ts';
import type {Site} from '../world.ts';

/** What a link or an account should have. */
interface Sum {
  conversions: number;
  refunds: number;
  refunded: number;
}

/** For how long an order is known, in milliseconds. */
const lifetime = 400 * 24 * 60 * 60_000;

const none = (): Sum => ({conversions: 0, refunds: 0, refunded: 0});

/**
 * Each order counts once, for one link, in the totals of its account and, unless it was removed, of the link. So does each
 * refund, and all refunds of an order are never more than its value.
 */
export async function conversions({seen, world}: Story, {links, accounts: all}: Site): Promise<string[]> {
  const answered = seen.filter(({code, link}) => code === 200 && link?.urlId !== undefined);
  const orders = answered.filter(({do: deed, order}) => order !== undefined && deed !== 'refund');
  const refunds = answered.filter(({refund}) => refund !== undefined);
  // A call that was cut off cannot be repeated once its account is blocked, and may have counted.
  const isUncertain = ({order, code}: Seen): boolean =>
    order !== undefined && (code === undefined || code === 503) && !orders.some((each) => each.order === order);
  if (seen.some(isUncertain)) return [];
  // The visitors of a removed account are counted no more.
  if (orders.length === 0 || world.clockDifference >= lifetime || seen.some((each) => each.do === 'expel')) return [];
  const problems: string[] = [];
  const expected = new Map<number, Sum>();
  for (const order of new Set(orders.map((each) => each.order))) {
    const own = orders.concat(refunds).filter((each) => each.order === order);
    const brought = new Set(own.flatMap(({link}) => link?.urlId ?? []));
    if (brought.size > 1) problems.push(`The order ${order} has the links ${[...brought].join()}`);
    const refunded = new Map(own.flatMap(({refund, value}) => (refund === undefined ? [] : [[refund, value ?? 0]])));
    problems.push(...wrongRefunds(order ?? '', seen));
    for (const id of brought) {
      const sum = expected.get(id) ?? none();
      expected.set(id, sum);
      sum.conversions += 1;
      sum.refunds += refunded.size;
      for (const value of refunded.values()) sum.refunded += value;
    }
  }
  const sum = none();
  for (const each of expected.values()) add(sum, each);
  const total = none();
  const listed = none();
  for (const name of accounts) {
    const account = await all.require(name);
    // Of the site, and of API calls.
    for (const each of (await links.accountStats(account)).conversions) add(total, each);
    for (const slug of slugs) {
      const found = await links.linkAndStats(account, `https://example.com/${slug}`).catch(() => undefined);
      if (found === undefined) continue;
      const made = none();
      for (const each of found.stats.conversions) add(made, each);
      add(listed, made);
      const ofVariants = none();
      for (const each of found.stats.variants?.flatMap((variant) => variant.conversions) ?? []) add(ofVariants, each);
      if (found.stats.variants && !isSame(made, ofVariants)) {
        problems.push(`${slug} has ${toText(made)}, and its variants ${toText(ofVariants)}`);
      }
      const wanted = expected.get(found.link.urlId) ?? none();
      if (!isSame(made, wanted)) problems.push(`${slug} has ${toText(made)} instead of ${toText(wanted)}`);
    }
  }
  const mayLack = world.isCluster && world.isTroubled;
  if (mayLack ? isMore(total, sum) : !isSame(total, sum)) {
    problems.push(`The accounts have ${toText(total)} instead of ${toText(sum)}`);
  }
  if (!mayLack && isMore(listed, total)) {
    problems.push(`The links have ${toText(listed)}, and their accounts ${toText(total)}`);
  }
  return problems;
}

/** A refund has one value, and is refused only if the others leave too little. */
function wrongRefunds(order: string, seen: readonly Seen[]): string[] {
  const own = seen.filter((each) => each.order === order && each.refund !== undefined);
  const value = Number(order.split(' ').at(-1));
  const refunded = new Map<string, number>();
  const problems: string[] = [];
  for (const each of own) {
    if (each.code !== 200 || each.value === undefined || each.refund === undefined) continue;
    const before = refunded.get(each.refund) ?? each.value;
    if (before !== each.value) problems.push(`A refund of ${order} has refunded ${before}, and then ${each.value}`);
    refunded.set(each.refund, each.value);
  }
  const sum = Array.from(refunded.values()).reduce((one, other) => one + other, 0);
  if (sum > value) problems.push(`Of the order ${order} ${sum} were refunded`);
  for (const {refund = '', error} of own) {
    if (error !== 'refund_too_large') continue;
    if (refunded.has(refund)) problems.push(`The refund ${refund} of ${order} is refused, and counts`);
    if (refunded.size === 0) problems.push(`The refund ${refund} of ${order} is refused without another one`);
    if (value === 2) problems.push(`The refund ${refund} of ${order} is refused, but two of 1 fit`);
  }
  return problems;
}

/** The first link that was identified for a customer stays until somebody forgets the customer, and a forgotten one stays so. */
export async function customers({seen, world}: Story, {conversions: site}: Site): Promise<string[]> {
  if (world.clockDifference >= lifetime || seen.some((each) => each.do === 'expel')) return [];
  const problems: string[] = [];
  for (const customer of new Set(seen.flatMap((each) => each.customer ?? []))) {
    const own = seen.filter((each) => each.customer === customer);
    const forgotten = own.filter(({do: deed}) => deed === 'forget');
    const identified = own.filter(({do: deed}) => deed === 'identify');
    const found = own.filter(({code, link}) => code === 200 && link?.urlId !== undefined);
    for (const one of found) {
      if (!identified.some(({start}) => start < one.end)) problems.push(`${customer} was never identified`);
      // The link of an order is that of its first call.
      if (one.do === 'renew') continue;
      for (const other of found) {
        if (other.do === 'renew' || one.start >= other.start || one.link?.urlId === other.link?.urlId) continue;
        const until = Math.max(one.end, other.end);
        const mayBeOther = forgotten.some(({start, end}) => start < until && end > one.start);
        if (!mayBeOther) problems.push(`${customer} has the links ${one.link?.urlId} and ${other.link?.urlId}`);
      }
    }
    const removing = forgotten.filter(({wasKnown}) => wasKnown === true);
    for (const [index, one] of removing.entries()) {
      for (const other of removing.slice(index + 1)) {
        const mayBeAnother = identified.some(({start, end}) => start < other.end && end > one.start);
        if (!mayBeAnother) problems.push(`${customer} was known to the forgets at ${one.start} and ${other.start}`);
      }
    }
    const last = forgotten.filter(({code}) => code === 200);
    // No call can have identified the customer between the call that forgot it and the end of a request.
    const isGone = (from: number, to: number): boolean =>
      last.some(({start, end}) => end < from && identified.every((each) => each.end < start || each.start > to));
    for (const {start, end, do: deed} of found) {
      if (deed === 'renew' && isGone(start, end)) problems.push(`${customer} was forgotten, and is known at ${start}`);
    }
    if (!customer.startsWith('the site') || !isGone(Infinity, Infinity)) continue;
    const known = await site.find({customer: customer.slice(-1)});
    if (known !== undefined) problems.push(`${customer} was forgotten, and is known`);
  }
  return problems;
}

function add(sum: Sum, {conversions: one, refunds, refunded}: Sum): void {
  sum.conversions += one;
  sum.refunds += refunds;
  sum.refunded += refunded;
}

const parts = ['conversions', 'refunds', 'refunded'] as const;
const isSame = (one: Sum, other: Sum): boolean => parts.every((part) => one[part] === other[part]);
const isMore = (one: Sum, other: Sum): boolean => parts.some((part) => one[part] > other[part]);
const toText = (sum: Sum): string => `${sum.conversions} conversions and ${sum.refunds} refunds of ${sum.refunded}`;
