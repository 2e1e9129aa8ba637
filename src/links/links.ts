import {malformed} from '../values/shape.ts';
import type {Sweep} from './change/sweep.ts';
import {conversionCounter, conversionCounts, dayCounter, visitsCounter, type ConversionName} from '../link/counters.ts';
import {linkCounters, linkRecords} from '../link/records.ts';
import {isDeepStrictEqual} from 'node:util';
import type {Account} from '../accounts/accounts.ts';
import {isUnavailable} from '../errors.ts';
import {Grouper} from '../store/batching/grouper.ts';
import type {Counters} from '../store/port.ts';
import {type IntentKey, keyOfRepeats, readIdempotencyKey} from './create/intents.ts';
import type {AccountStats, AccountStatsQuery} from './account-info.ts';
import type {ActivePage, LinkFilter, LinkPage, LinkQuery, ListedLink, Page} from './list/listed-links.ts';
import type {
  CreateLink,
  CreateOptions,
  CreateResult,
  Link,
  LinkChange,
  LinkIdentifier,
  UpdateResult,
} from '../link/link.ts';
import type {CompareQuery, LinkComparison, TagComparison} from './stats/compared.ts';
import type {LinkStats, StatsQuery, TagLinks} from './stats/statistics.ts';
import type {OwnedLink} from './owned-links.ts';
import {runMany} from './many.ts';
import {LinkChanges} from './change/link-changes.ts';
import {accountList} from './list/link-index.ts';
import {readList} from './list/list.ts';
import type {LinkName} from '../link/bases.ts';
import {TagCount} from './list/tag-count.ts';
import {readPage, type RecordPage} from './list/page.ts';
import {readSearch} from './list/search.ts';
import {drawQrCode, type QrCode, type QrFormat, type QrOptions, readQrOptions} from './qr/qr-code.ts';
import type {LinkOperations} from './operations.ts';
import {findOwn, findReferenced} from './own-link.ts';
import {type Matches, readActivePart, readFilter, readQuery, type SearchedPart, usualLimit} from './list/query.ts';
import {readCompareQuery, readSumQuery} from './stats/stats-query.ts';
import {isActive, isListed, type LinkRecord} from '../link/record.ts';
import {changing, unknown} from '../link/refusals.ts';
import {toLink} from '../link/to-link.ts';
import {noteBlocks, removeAll} from './change/every-link.ts';
import {addUp, readTotals} from './stats/account-totals.ts';
import {type ComparedPart, Comparisons} from './rank/comparison.ts';
import type {AskedRows} from './rank/link-rows.ts';
import {readConversionNames} from './stats/conversion-names.ts';
import {countersFor} from './stats/counter-names.ts';
import {removeOld} from './stats/old-counters.ts';
import {conversionsIn, type AskedStats, readAskedStats, recentDays, toStats, visitsOn} from './stats/visit-stats.ts';

/** The maximum number of links whose visits are added up for a filter. */
export const maxSummed = 1000;

/** How often a link that keeps changing is read to get a consistent record and visits. */
const maxTries = 100;

/** Statistics of all links of an account, or of those that match. */
interface AskedSum extends AskedStats {
  readonly account: Account;
  readonly filter: Pick<AccountStatsQuery, 'status' | 'tag' | 'search'> | undefined;
}

/** The operations on links, by the account that calls them. Those that change one link are in `LinkChanges`. */
export class Links extends LinkChanges implements LinkOperations<Account> {
  readonly #comparisons = new Comparisons(this.dependencies.linkRows);
  /** A page that shows several spans reads the counters once. */
  readonly #sums = new Grouper((asked: readonly AskedSum[]) => this.#sum(asked));

  async create(account: Account, input: CreateLink, options?: CreateOptions): Promise<Link> {
    const key = readIdempotencyKey(options);
    if (key !== undefined) return this.#createOnce(account, input, keyOfRepeats(account, key), this.dependencies.now());
    const {record, at, isNew} = await this.creation.create(account, input);
    if (isNew) return this.#created(account, record, at);
    const [link] = await this.#toLinks([record]);
    return link ?? this.#created(account, record, at);
  }

  async *createMany(
    account: Account,
    inputs: Iterable<CreateLink> | AsyncIterable<CreateLink>,
    options?: CreateOptions,
  ): AsyncGenerator<CreateResult> {
    const {bases, intents, now} = this.dependencies;
    const key = readIdempotencyKey(options);
    if (key === undefined) {
      yield* runMany({run: (input: CreateLink) => this.create(account, input), bases}, inputs);
      return;
    }
    if (!Array.isArray(inputs)) {
      throw malformed('With an idempotency key, the links must be an array.');
    }
    const digest = await intents.digest(inputs);
    const {at} = await intents.begin(keyOfRepeats(account, key), {at: now()}, digest);
    const outcome = {areRefused: true};
    const run = async (input: CreateLink, index: number): Promise<Link> => {
      try {
        const link = await this.#createOnce(account, input, keyOfRepeats(account, key, String(index)), at);
        outcome.areRefused = false;
        return link;
      } catch (error) {
        if (isUnavailable(error)) outcome.areRefused = false;
        throw error;
      }
    };
    try {
      yield* runMany({run, bases}, inputs as readonly CreateLink[]);
    } finally {
      // Refused calls would fill the store, whatever the quota.
      if (outcome.areRefused) await intents.forget(keyOfRepeats(account, key));
    }
  }

  updateMany(account: Account, inputs: Iterable<LinkChange> | AsyncIterable<LinkChange>): AsyncGenerator<UpdateResult> {
    const {bases} = this.dependencies;
    return runMany({run: (input: LinkChange) => this.run(account, input), bases}, inputs);
  }

  /**
   * Removes the links of an account that a sweep is to remove, the oldest first. A link that is changed or visited
   * meanwhile stays. With `dryRun` all stay.
   */
  async *sweep(account: Account, {isOver, dryRun}: Sweep): AsyncGenerator<Link> {
    const {store} = this.dependencies;
    const paired = async (records: LinkRecord[]): Promise<Array<{record: LinkRecord; link: Link | undefined}>> => {
      const links = await this.#toLinks(records);
      return records.map((record, index) => ({record, link: links[index]}));
    };
    for await (const {items} of readList(store, accountList(account.generation), paired)) {
      for (const {record, link} of items) {
        if (link === undefined || !isOver(link)) continue;
        if (dryRun) {
          yield link;
          continue;
        }
        const [again] = await this.#toLinks([record]);
        if (again && isOver(again) && (await this.removeUnchanged(account, link.shortUrl, record))) yield again;
      }
    }
  }

  async info(account: Account, identifier: LinkIdentifier): Promise<Link> {
    const {now} = this.dependencies;
    const {record, visits} = await this.#findWithVisits(account, identifier, [visitsCounter]);
    return this.#withHidden(toLink(record, visits, this.dependencies, now()), record);
  }

  async qr<Format extends QrFormat = 'svg'>(
    account: Account,
    shortUrl: string,
    options?: QrOptions<Format>,
  ): Promise<QrCode<Format>> {
    const {bases} = this.dependencies;
    const read = readQrOptions(options);
    const {value: record} = await findOwn(this.dependencies, account, shortUrl);
    return this.#inTurn(account, async () => (await drawQrCode(bases.scannedUrls(record), read)) as QrCode<Format>);
  }

  async stats(account: Account, shortUrl: string, query?: StatsQuery): Promise<LinkStats> {
    return (await this.linkAndStats(account, shortUrl, query)).stats;
  }

  /** A consistent reading of a link and its statistics. */
  async linkAndStats(account: Account, shortUrl: string, query?: StatsQuery): Promise<{link: Link; stats: LinkStats}> {
    const asked = readAskedStats(query);
    const {store, calendar, now} = this.dependencies;
    return this.#inTurn(account, async () => {
      const today = calendar.dayOf(now());
      const names = await countersFor(store, account.generation, today, [asked]);
      const {record, visits} = await this.#findWithVisits(account, shortUrl, names);
      const {stats, old} = toStats(visits, today, asked);
      await removeOld(store, linkCounters.key(record), visits, old);
      const {totalVisits} = stats;
      return {link: {...toLink(record, visits, this.dependencies, now()), totalVisits}, stats};
    });
  }

  async accountStats(account: Account, query: AccountStatsQuery = {}): Promise<AccountStats> {
    const {isFiltered, ...asked} = readSumQuery(query);
    const {status, tag, search} = query;
    const filter = isFiltered ? {status, tag, search} : undefined;
    return this.#sums.add({account, filter, ...asked}, JSON.stringify([account.generation, filter]));
  }

  /** The statistics of an account by the same conditions for some spans. */
  async #sum(asked: readonly AskedSum[]): Promise<AccountStats[]> {
    const [first] = asked;
    if (first === undefined) return [];
    return this.#inTurn(first.account, () => this.#sumInTurn(first, asked));
  }

  async #sumInTurn({account, filter}: AskedSum, asked: readonly AskedSum[]): Promise<AccountStats[]> {
    const {store, bases, calendar, now} = this.dependencies;
    const today = calendar.dayOf(now());
    if (filter === undefined) return readTotals(store, account.generation, today, asked);
    const {part, matches} = readQuery({...filter, limit: maxSummed}, bases);
    const {records, nextCursor} = await readSearch(
      this.dependencies,
      accountList(account.generation),
      part as SearchedPart,
      matches,
    );
    const counters = await addUp(store, records, await countersFor(store, account.generation, today, asked));
    const isPartial = nextCursor !== undefined;
    return asked.map((each) => ({
      links: records.length,
      ...toStats(counters, today, each).stats,
      ...(isPartial && {isPartial}),
    }));
  }

  async *list(account: Account, filter: LinkFilter = {}): AsyncGenerator<Link> {
    const {store, bases, now} = this.dependencies;
    const {order, matches, reference, word} = readFilter(filter, 'oldest', bases);
    if (reference !== undefined || (order !== 'newest' && order !== 'oldest')) {
      let cursor: string | undefined;
      do {
        const page = await this.page(account, {...filter, limit: 1000, cursor});
        yield* page.links;
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return;
    }
    const toLinks = (records: LinkRecord[]): Promise<Link[]> => {
      const at = now();
      return this.#toLinks(records.filter((record) => matches(record, at)));
    };
    const chunks = readList(store, accountList(account.generation), toLinks, {order, word});
    for await (const {items} of this.#eachInTurn(account, chunks)) yield* items;
  }

  async page(account: Account, query: LinkQuery = {}): Promise<LinkPage> {
    const {matches, days, part, reference} = readQuery(query, this.dependencies.bases);
    const list = accountList(account.generation);
    const readRecords = (): Promise<RecordPage> => {
      if (reference !== undefined) return this.#referenced(account, reference, matches);
      if ('ranking' in part) return readPage(this.dependencies, list, part, matches);
      return readSearch(this.dependencies, list, part, matches);
    };
    const read = async (): Promise<LinkPage> => {
      const [{records, nextCursor}, names] = await Promise.all([
        readRecords(),
        readConversionNames(this.dependencies.store, account.generation),
      ]);
      return {links: await this.#toListed(records, names, days), nextCursor};
    };
    const isShort = part.limit <= usualLimit && 'maxRead' in part && part.maxRead === Infinity;
    return isShort ? read() : this.#inTurn(account, read);
  }

  async *listActive(account: Account): AsyncGenerator<Pick<Link, 'shortUrl'>> {
    for await (const chunk of this.activeChunks(account)) yield* chunk;
  }

  /** The active links of the account, oldest first, some hundreds at a time. */
  async *activeChunks(account: Account): AsyncGenerator<ReadonlyArray<Pick<Link, 'shortUrl'>>> {
    const {store, bases, now} = this.dependencies;
    const toUrls = (records: LinkRecord[]): Array<Pick<Link, 'shortUrl'>> => {
      const at = now();
      return records.filter((record) => isActive(record, at)).map((record) => ({shortUrl: bases.shortUrl(record)}));
    };
    const chunks = readList(store, accountList(account.generation), toUrls);
    for await (const {items} of this.#eachInTurn(account, chunks)) yield items;
  }

  async pageActive(account: Account, page: Page = {}): Promise<ActivePage> {
    const {bases} = this.dependencies;
    const part = readActivePart(page);
    const {records, nextCursor} = await this.#inTurn(account, () =>
      readPage(this.dependencies, accountList(account.generation), part, isActive),
    );
    return {urls: records.map((record) => ({shortUrl: bases.shortUrl(record)})), nextCursor};
  }

  tags(account: Account): Promise<TagLinks[]> {
    return this.#inTurn(account, async () => {
      const tags = new TagCount();
      const toTags = (records: LinkRecord[]) => records.map((record) => record.tags ?? []);
      for await (const {items} of readList(this.dependencies.store, accountList(account.generation), toTags)) {
        for (const each of items) tags.add(each);
      }
      return tags.sorted();
    });
  }

  async compare(account: Account, query: CompareQuery = {}): Promise<LinkComparison> {
    const {asked, part} = readCompareQuery(query, 'link');
    return this.#inTurn(account, () => this.#compareLinks(this.#rowsOf(account, asked), part));
  }

  async #compareLinks(asked: AskedRows, part: ComparedPart): Promise<LinkComparison> {
    const {items, comparison} = await this.#comparisons.links(asked, part, async (rows) => {
      const records = await this.dependencies.linkRows.find(rows);
      return rows.map((row, index) => {
        const record = records[index];
        return record && {...row, record};
      });
    });
    const links = await this.#toLinks(items.map(({record}) => record));
    const most = links.map((link, index) => {
      const {visits = 0, conversions = 0, values = []} = items[index] ?? {};
      return {link, visits, conversions, values};
    });
    return {...comparison, most};
  }

  async compareTags(account: Account, query: CompareQuery = {}): Promise<TagComparison> {
    const {asked, part} = readCompareQuery(query, 'tag');
    const {items, comparison} = await this.#inTurn(account, () =>
      this.#comparisons.groups(this.#rowsOf(account, asked), part),
    );
    const tags = items.map(({tag, links, visits, conversions, values}) => ({tag, links, visits, conversions, values}));
    return {...comparison, tags};
  }

  /** Long reads of an account take turns, so that they delay neither its visitors nor other accounts for long. */
  #inTurn<Result>({generation}: Account, read: () => Promise<Result>): Promise<Result> {
    return this.dependencies.longReads.run({account: generation}, read);
  }

  #eachInTurn<Value>({generation}: Account, values: AsyncGenerator<Value>): AsyncGenerator<Value> {
    return this.dependencies.longReads.each({account: generation}, values);
  }

  #rowsOf({generation}: Account, asked: Pick<AskedRows, 'filter' | 'span'>): AskedRows {
    const {calendar, now} = this.dependencies;
    return {list: accountList(generation).name, ...asked, conversions: 'all', today: calendar.dayOf(now())};
  }

  /** Links of any accounts with their visits. */
  async owned(records: readonly LinkRecord[]): Promise<OwnedLink[]> {
    const links = await this.#toLinks(records);
    return links.map((link, index) => ({account: records[index]?.account ?? '', link}));
  }

  /** Takes all links of an account out of service for good, and forgets their visits. */
  removeAll(account: Account): Promise<void> {
    return removeAll(this.dependencies, account);
  }

  async #createOnce(account: Account, input: CreateLink, key: IntentKey, at: number): Promise<Link> {
    const {record, at: since, isNew} = await this.creation.createOnce(account, input, key, at);
    if (isNew) return this.#created(account, record, since);
    return toLink(record, undefined, this.dependencies, since);
  }

  #created(account: Account, record: LinkRecord, at: number): Link {
    const {announcer, onCreate, now} = this.dependencies;
    onCreate?.(record);
    const created = toLink(record, undefined, this.dependencies, at);
    announcer.announce('create', {account: account.id, link: created, at: new Date(now())});
    return created;
  }

  /** Writes the number of blocks and unblocks into all links of an account. */
  noteBlocks(account: Account, blocks: number): Promise<void> {
    return noteBlocks(this.dependencies, account, blocks);
  }

  /** The only link with a reference, if it meets the other conditions. */
  async #referenced(account: Account, reference: string, matches: Matches): Promise<RecordPage> {
    const found = await findReferenced(this.dependencies, account, reference);
    const isMeant = found !== undefined && matches(found.value, this.dependencies.now());
    return {records: isMeant ? [found.value] : [], nextCursor: undefined};
  }

  #withHidden(link: Link, name: LinkName): Link {
    return this.dependencies.sitePages.isHidden(name) ? {...link, isHidden: true} : link;
  }

  async #toLinks(records: readonly LinkRecord[]): Promise<Link[]> {
    const {store, now} = this.dependencies;
    const counters = await linkCounters.in(store).getMany(records, [visitsCounter]);
    return this.#withVisits(records, counters, now());
  }

  /** Links of one account, with their conversions and the visits of the last days. */
  async #toListed(records: readonly LinkRecord[], names: readonly ConversionName[], days = 0): Promise<ListedLink[]> {
    const {store, calendar, now} = this.dependencies;
    const at = now();
    const counted = recentDays(calendar.dayOf(at), days);
    const counters = await linkCounters
      .in(store)
      .getMany(records, [
        visitsCounter,
        ...counted.map(dayCounter),
        ...names.flatMap((name) => conversionCounts.map((kind) => conversionCounter(kind, name))),
      ]);
    const links = this.#withVisits(records, counters, at);
    return links.map((link, index) => ({
      ...link,
      ...(days > 0 && {days: visitsOn(counted, counters[index])}),
      conversions: conversionsIn(counters[index]),
    }));
  }

  #withVisits(records: readonly LinkRecord[], counters: readonly Counters[], at: number): Link[] {
    return records.map((record, index) =>
      this.#withHidden(toLink(record, counters[index], this.dependencies, at), record),
    );
  }

  /**
   * A consistent record and visits: the record must be the same before and after the visits are read, apart from the
   * visits that its limit has granted.
   *
   * @throws ShortUrlError `store_unavailable` after a hundred attempts
   */
  async #findWithVisits(
    account: Account,
    identifier: LinkIdentifier,
    counters?: readonly string[],
  ): Promise<{record: LinkRecord; visits: Counters}> {
    const {store} = this.dependencies;
    let entry = await findOwn(this.dependencies, account, identifier);
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const [visits = {counts: new Map(), at: undefined}] = await linkCounters
        .in(store)
        .getMany([entry.value], counters);
      const again = await linkRecords.in(store).get(entry.value, entry);
      if (again === undefined || !isListed(again.value) || again.value.generation !== account.generation)
        throw unknown();
      if (isDeepStrictEqual(withoutGrants(again.value), withoutGrants(entry.value))) {
        return {record: again.value, visits};
      }
      entry = again;
    }
    throw changing();
  }
}

/** A busy link with a limit grants visits all the time. */
function withoutGrants(record: LinkRecord): LinkRecord {
  return {...record, used: 0, granted: 0};
}
