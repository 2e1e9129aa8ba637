import {detailOf, variantDetail} from '../../../src/link/counters.ts';
import {linkCounters, linkRecords} from '../../../src/link/records.ts';
import {totalsKeys} from '../../../src/links/stats/totals.ts';
import {isListed, type LinkRecord} from '../../../src/link/record.ts';
import {accounts, imported, importedVisits, isRefused, type Seen, slugs} from '../seen.ts';
import type {Story} from '../story.ts';
import {passwordAttempts, type Site} from '../world.ts';

const isVisit = (seen: Seen): boolean => seen.do === 'visit' || seen.do === 'attempt';

/** Every redirect is counted once: for its link, its day, its details and its account, unless the account is removed. */
export async function counts({seen, world}: Story, {store, accounts: all}: Site): Promise<string[]> {
  const problems: string[] = [];
  const redirects = seen.filter(({followed}) => followed !== undefined);
  const unanswered = seen.filter((each) => isVisit(each) && each.end === Infinity);
  const expect = (what: string, counted: number, redirected: number, maybe: number): void => {
    if (counted >= redirected - world.lostVisits && counted <= redirected + maybe) return;
    problems.push(`${what} has ${counted} visits, but ${redirected} were redirected, and ${maybe} not answered`);
  };
  for (const slug of slugs) {
    const record = (await store.get<LinkRecord>(linkRecords.key({domain: 'example.com', slug})))?.value;
    if (record === undefined || !isListed(record)) continue;
    const [counters] = await store.getCounters([linkCounters.key(record)]);
    const sums: Record<string, number> = {v: 0, days: 0, visitor: 0};
    for (const [name, count] of counters?.counts ?? []) {
      const kind = /^d[\da-z]+$/.test(name) ? 'days' : (detailOf(name)?.name ?? name);
      sums[kind] = (sums[kind] ?? 0) + count;
    }
    const own = redirects.filter(({followed}) => followed?.counters === record.counters).length;
    expect(slug, sums['v'] ?? 0, own, unanswered.filter((visit) => visit.slug === slug).length);
    if (sums['v'] !== sums['days'] || sums['v'] !== sums['visitor']) {
      problems.push(`The visits of ${slug} differ by day or detail: ${JSON.stringify(sums)}`);
    }
    // No update of a plan names the first rule of a link.
    if (record.isSplit && sums['v'] !== (sums[variantDetail()] ?? 0)) {
      problems.push(`The visits of the variants of ${slug} do not add up: ${JSON.stringify(sums)}`);
    }
  }
  const importedLinks = await readImported(store);
  // A process that dies between the two steps of a cluster has counted visits without the totals.
  const hasImport = seen.some((each) => each.do === 'import');
  const isInexact = world.isCluster && world.hasDeaths;
  const owners = await Promise.all(accounts.map((id) => all.find(id)));
  const live = new Set(owners.map((owner) => owner?.generation));
  for (const generation of new Set(redirects.map(({followed}) => followed?.generation ?? ''))) {
    const shards = await store.getCounters(totalsKeys(generation), ['v']);
    const total = shards.reduce((sum, shard) => sum + (shard.counts.get('v') ?? 0), 0);
    const own = redirects.filter(({followed}) => followed?.generation === generation).length;
    // An interrupted import may leave them out, and those of links that are removed since stay.
    const also = importedVisits * importedLinks.filter((link) => link?.generation === generation).length;
    const certain = own + (world.isTroubled ? 0 : also);
    const most = own + unanswered.length + (hasImport ? importedVisits * imported.length : 0);
    const isExact = live.has(generation) && !isInexact;
    if ((total < certain - world.lostVisits && isExact) || total > most) {
      problems.push(`The account ${generation} has ${total} visits instead of ${certain} to ${most}`);
    }
  }
  return problems;
}

/** An import that was interrupted is completed by a repeat, and each of its links has its visits once. */
export async function imports({seen}: Story, {store, accounts: all}: Site): Promise<string[]> {
  const importers = seen.filter((each) => each.do === 'import' && each.account !== 'eve');
  const links = await readImported(store);
  const problems: string[] = [];
  const done = importers.find(({code}) => code === 200);
  const account = done && (await all.require(done.account));
  for (const [index, link] of links.entries()) {
    const slug = imported[index] ?? '';
    if (account && link?.generation !== account.generation) problems.push(`${slug} was imported and is missing`);
    if (link === undefined) continue;
    const [counters] = await store.getCounters([linkCounters.key(link)], ['v']);
    const visits = counters?.counts.get('v') ?? 0;
    if (visits !== importedVisits) problems.push(`${slug} was imported with ${visits} visits`);
  }
  return problems;
}

/** The imported links that their accounts see. */
async function readImported(store: Site['store']): Promise<Array<LinkRecord | undefined>> {
  const entries = await store.getMany<LinkRecord>(
    imported.map((slug) => linkRecords.key({domain: 'example.com', slug})),
  );
  return entries.map((entry) => (entry && isListed(entry.value) ? entry.value : undefined));
}

/** No more visitors are redirected than a limit allows, and no fewer while nothing fails. */
export function limits({seen, world}: Story): string[] {
  const mayVanish = seen.some((each) => each.do === 'expel' || each.do === 'blockAccount');
  return slugs.flatMap((slug) => {
    const all = seen.filter((each) => each.slug === slug);
    // What changes the limit, or the link to which it belongs.
    const changes = all.filter(
      (each) => ['limit', 'create', 'createOnce', 'remove'].includes(each.do) && !isRefused(each),
    );
    return changes.flatMap((change) => {
      const limit = change.input?.maxVisits;
      if (typeof limit !== 'number' || change.code !== 200) return [];
      const others = changes.filter((other) => other !== change);
      if (others.some((other) => other.start < change.end && other.end > change.start)) return [];
      const until = Math.min(...others.filter(({start}) => start > change.end).map(({start}) => start));
      // Visits of an outage are counted later, so a limit may not know them yet. A visit during the next change may follow it.
      const redirects = all.filter(({followed, end, isInOutage}) => followed && end < until && !isInOutage);
      const after = redirects.filter(({start}) => start > change.end);
      const counters = after[0]?.followed?.counters;
      const together = redirects.filter(({followed}) => followed?.counters === counters);
      if (after.length > 0 && together.length > limit) {
        return [
          `${slug} has the limit ${limit} since ${change.end}, but ${together.length} visitors were redirected, ` +
            `${after.length} of them after that`,
        ];
      }
      const gone = all.find(
        (each) => isVisit(each) && each.code === 410 && each.start > change.end && each.end < until,
      );
      const isOnlyVisited = all.every(
        (each) => isVisit(each) || each.do === 'info' || each === change || isRefused(each),
      );
      if (gone && isOnlyVisited && !mayVanish && !world.isTroubled && redirects.length < limit) {
        return [`${slug} has the limit ${limit}, but ${redirects.length} visitors were redirected`];
      }
      return [];
    });
  });
}

/** No visitor follows a link before its first day or after its last, by the clock of the process. */
export function dates({seen}: Story): string[] {
  return seen.flatMap(({slug, followed, began, ended, ahead}) => {
    if (followed === undefined || ahead === undefined) return [];
    const {start = -Infinity, end = Infinity} = followed;
    const isOutside = began + ahead >= end || ended + ahead < start;
    return isOutside ? [`${slug} redirects at ${began}, outside of ${start} to ${end}`] : [];
  });
}

/** During an outage a process redirects as it last saw a link, but never as it was before its own change. */
export function outages({seen}: Story): string[] {
  return seen.flatMap((visit) => {
    if (!visit.isInOutage || visit.followed === undefined) return [];
    const changes = seen.filter(
      ({slug, do: deed}) => slug === visit.slug && /^(create|disable|enable|update|remove|block|unblock)/.test(deed),
    );
    const end = changes.find(
      (change) =>
        ['disable', 'remove', 'block'].includes(change.do) &&
        change.process === visit.process &&
        change.code === 200 &&
        change.end < visit.start &&
        changes.every((other) => other === change || other.end < change.start || other.start > visit.end),
    );
    return end ? [`${visit.slug} redirects at ${visit.start} in an outage, after a ${end.do} in the same process`] : [];
  });
}

/** For how long a wrong password counts, in milliseconds. */
const window = 15 * 60_000;

/** A client tries no more wrong passwords at a link than allowed. What one process counts may be as much older for another one. */
export function attempts({seen, world}: Story): string[] {
  const pairs = new Map<string, Seen[]>();
  for (const each of seen) {
    if (each.do !== 'attempt') continue;
    const pair = `${each.ip} at ${each.slug}`;
    pairs.set(pair, [...(pairs.get(pair) ?? []), each]);
  }
  return Array.from(pairs).flatMap(([pair, tries]) => {
    const wrong = tries.filter(({code}) => code === 401);
    const isTooMany = wrong.some(
      (first) =>
        wrong.filter(({began, ended}) => began >= first.began && ended < first.began + window - world.clockDifference)
          .length > passwordAttempts,
    );
    return isTooMany ? [`${pair} has tried ${wrong.length} wrong passwords`] : [];
  });
}
