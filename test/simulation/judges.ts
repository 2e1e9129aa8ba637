import {firstContradiction} from '../support/engines/linearizable.ts';
import {countersKey, isListed, linkKey, type LinkRecord, totalsKeys} from '../../src/links/record.ts';
import {accounts, slugs, type Story} from './story.ts';
import type {Site} from './world.ts';

/** Why a story breaks a promise; empty if it does not. Called when nothing happens any more. */
export async function judge(story: Story): Promise<readonly string[]> {
  const {world} = story;
  const problems = [...world.faults];
  if (story.unfinished > 0) problems.push(`${story.unfinished} actions never ended`);
  for (const {process, log} of world.running) {
    if (log.unstored > 0) problems.push(`${process.name} keeps ${log.unstored} visits although the store answers`);
  }
  if (!world.hasFailedOver) problems.push(...linearizability(story));
  const site = world.open();
  await world.calmly(site, async () => {
    for (const found of [await counts(story, site), await lists(site)]) problems.push(...found);
  });
  return problems;
}

function linearizability({operations, world, limited}: Story): string[] {
  const isCalm = world.lostVisits === 0 && world.troubles === 0;
  return Array.from(operations).flatMap(([slug, history]) => {
    const contradiction = firstContradiction(history, {countsVisits: isCalm && !limited.has(slug)});
    if (contradiction === undefined) return [];
    const lines = history.toSorted((a, b) => a.start - b.start).map((operation) => JSON.stringify(operation));
    return [`Nothing explains\n${JSON.stringify(contradiction)}\nof ${slug} among\n${lines.join('\n')}`];
  });
}

/** Every redirect is counted once: for its link, its day, its details and its account. */
async function counts({visits, world}: Story, {store}: Site): Promise<string[]> {
  const problems: string[] = [];
  const redirects = visits.filter(({code}) => code === 302);
  const unanswered = visits.filter(({end}) => end === Infinity);
  const expect = (what: string, counted: number, redirected: number, maybe: number): void => {
    if (counted >= redirected - world.lostVisits && counted <= redirected + maybe) return;
    problems.push(`${what} has ${counted} visits, but ${redirected} were redirected, and ${maybe} not answered`);
  };
  const generations = new Set<string>();
  for (const slug of slugs) {
    const record = (await store.get<LinkRecord>(linkKey({domain: 'example.com', slug})))?.value;
    if (record === undefined || !isListed(record)) continue;
    generations.add(record.generation);
    const [counters] = await store.getCounters([countersKey(record)]);
    const sums = new Map<string, number>();
    for (const [name, count] of counters?.counts ?? []) {
      const kind = name.startsWith('d') ? 'days' : (name.split(':')[0] ?? '');
      sums.set(kind, (sums.get(kind) ?? 0) + count);
    }
    const own = redirects.filter((visit) => visit.counters === record.counters).length;
    const maybe = unanswered.filter((visit) => visit.slug === slug).length;
    for (const kind of ['v', 'days', 'visitor']) expect(`${slug} (${kind})`, sums.get(kind) ?? 0, own, maybe);
    if (sums.get('v') !== sums.get('days') || sums.get('v') !== sums.get('visitor')) {
      problems.push(`${slug} has different sums: ${JSON.stringify(Array.from(sums))}`);
    }
  }
  for (const generation of generations) {
    const shards = await store.getCounters(totalsKeys(generation), ['v']);
    const total = shards.reduce((sum, {counts: shard}) => sum + (shard.get('v') ?? 0), 0);
    const own = redirects.filter((visit) => visit.generation === generation).length;
    expect(`the account ${generation}`, total, own, unanswered.length);
  }
  return problems;
}

/** Every link is in the list of its account once, and nothing else is. */
async function lists({store, accounts: all, links}: Site): Promise<string[]> {
  const problems: string[] = [];
  for (const name of accounts) {
    const account = await all.require(name);
    const listed: string[] = [];
    for await (const {shortUrlPart} of links.list(account)) listed.push(shortUrlPart);
    const entries = await store.getMany<LinkRecord>(slugs.map((slug) => linkKey({domain: 'example.com', slug})));
    const own = slugs.filter((_, index) => {
      const record = entries[index]?.value;
      return record !== undefined && isListed(record) && record.generation === account.generation;
    });
    if (listed.toSorted().join() !== own.join()) {
      problems.push(`The list of ${name} has ${listed.join()}, but the links are ${own.join()}`);
    }
    const {links: count} = await links.accountStats(account);
    if (count !== own.length) problems.push(`${name} has ${own.length} links, but the statistics say ${count}`);
  }
  return problems;
}
