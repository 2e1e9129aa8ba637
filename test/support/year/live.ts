import type {Rule, UpdateLink} from '../../../src/index.ts';
import type {Stage} from '../dashboard.ts';
import {inTurn, range} from '../engines/crowd.ts';
import {browserAgent, openAsPerson, viaOf} from '../visitor.ts';
import {Book, type BookedLink, dayInBerlin} from './book.ts';

const day = 86_400_000;
const start = Date.parse('2031-01-08T10:00:00Z');

/** The moments when Berlin's clocks change. */
const clockChanges = ['2031-03-30T01:00:00Z', '2031-10-26T01:00:00Z'].map((text) => Date.parse(text));

/** How old a visit may be to get a conversion: the default of `attribution.maxAge`. */
const maxAge = 30 * day;

export const accounts = ['ann', 'bob', '7'];
const currencies = ['EUR', 'JPY', 'KWD', 'USD', null];

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
export function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Visit {
  readonly at: number;
  readonly via: string;
  readonly link: BookedLink;
  readonly variant: string;
}

interface Order {
  readonly id: number;
  readonly visit: Visit;
  readonly currency: string | null;
  left: number;
}

export interface LivedYear {
  readonly book: Book;
  readonly links: readonly BookedLink[];
  /** The first and the last day. */
  readonly year: {readonly from: string; readonly until: string};
}

/** Lets visitors come, buy and give back for a year, at random times, and keeps the book. */
export async function liveYear(stage: Stage, seed: number, events = 700): Promise<LivedYear> {
  const {shortener, clock, origin} = stage;
  const draw = draws(seed);
  const pick = <Item>(items: readonly Item[]): Item => inTurn(items, Math.floor(draw() * items.length));
  const book = new Book();
  clock.now = start;
  const keys = new Map<string, string>();
  for (const account of accounts) keys.set(account, (await shortener.accounts.create(account)).apiKey);
  const links = await createLinks(stage);
  const visits: Visit[] = [];
  const orders: Order[] = [];

  const visit = async (at: number, index: number): Promise<void> => {
    const link = pick(links.filter(({isRemoved}) => !isRemoved));
    const headers = {'User-Agent': `${browserAgent}.${index}`};
    const answer = await openAsPerson(link.shortUrl, headers);
    const page = /\/\/(\w+)\.example/.exec(answer.headers.get('location') ?? '')?.[1] ?? '';
    const variant = page === 'own' ? 'A' : page;
    const via = viaOf(answer.headers.getSetCookie()) ?? '';
    if (page === '' || via === '') throw new Error(`${link.shortUrl} answered ${answer.status}`);
    book.add({day: dayInBerlin(at), link, variant});
    visits.push({at, via, link, variant});
  };

  const order = async (at: number, id: number): Promise<void> => {
    const recent = visits.slice(-80).filter(({link}) => !link.isRemoved);
    if (recent.length === 0) return;
    const found = pick(recent);
    const {via, link, variant} = found;
    const isSignUp = draw() < 0.3;
    const recordedBy = draw() < 0.2 ? 'account' : 'site';
    const name = isSignUp ? 'sign_up' : 'order';
    const currency = isSignUp ? null : pick(currencies);
    const value = isSignUp ? 0 : 1 + Math.floor(draw() * 3_000_000);
    const sale = {name, ...(value > 0 && {value}), ...(currency !== null && {currency})};
    if (recordedBy === 'account') {
      await post(origin, keys.get(link.account) ?? '', 'record_conversion', {via, id: String(id), ...sale});
    } else {
      const recorded = await shortener.conversions.record({via}, {id, ...sale});
      if ((recorded !== undefined) !== at - found.at <= maxAge) throw new Error('A conversion counts for 30 days');
    }
    if (at - found.at > maxAge) return;
    const booked = {name, currency, recordedBy, value} as const;
    book.add({day: dayInBerlin(at), link, variant, sale: {...booked, isRefund: false}});
    if (recordedBy === 'site' && !isSignUp) orders.push({id, visit: found, currency: booked.currency, left: value});
  };

  const refund = async (at: number, index: number): Promise<void> => {
    const open = orders.filter(({left, visit: {link}}) => left > 0 && !link.isRemoved);
    if (open.length === 0) return;
    const found = pick(open);
    const isWhole = draw() < 0.4;
    const value = isWhole ? found.left : Math.ceil(draw() * found.left);
    const {id, visit: from, currency} = found;
    await shortener.conversions.refund({name: 'order', id, refund: index, ...(!isWhole && {value})});
    found.left -= value;
    const sale = {name: 'order', currency, recordedBy: 'site', value, isRefund: true} as const;
    book.add({day: dayInBerlin(at), link: from.link, variant: from.variant, sale});
  };

  const moments = momentsOf(draw, events);
  const changes = new Map(changesOf(stage, links).map(([part, change]) => [Math.floor(part * moments.length), change]));
  for (const [index, at] of moments.entries()) {
    clock.now = at;
    const chance = draw();
    if (chance < 0.6) await visit(at, index);
    else if (chance < 0.88) await order(at, index);
    else await refund(at, index);
    await changes.get(index)?.();
  }
  clock.now = start + 365 * day;
  return {book, links, year: {from: dayInBerlin(start), until: dayInBerlin(clock.now)}};
}

/** Most at any time, some near a midnight, and some in the night when the clocks change. */
function momentsOf(draw: () => number, count: number): number[] {
  return range(count)
    .map(() => {
      const at = start + 60_000 + Math.floor(draw() * 364 * day);
      const place = draw();
      if (place < 0.7) return at;
      const minutes = Math.floor((draw() - 0.5) * 10) * 60_000;
      // The midnights of summer and of winter.
      if (place < 0.9) return at - (at % day) + (draw() < 0.5 ? 22 : 23) * 3_600_000 + minutes;
      return inTurn(clockChanges, draw() < 0.5 ? 0 : 1) + minutes * 20;
    })
    .filter((at) => at > start && at < start + 365 * day)
    .sort((one, other) => one - other);
}

const rulesOf = (names: readonly string[]): Rule[] =>
  names.map((name) => ({share: 30, name, url: `https://${name}.example/`}));

async function createLinks({shortener}: Stage): Promise<BookedLink[]> {
  const links: BookedLink[] = [];
  for (const account of accounts) {
    for (const index of range(5)) {
      const tags = [[], ['mail'], ['mail', 'poster'], ['poster'], ['other']][index] ?? [];
      const utm = {
        source: index % 2 === 0 ? 'mail' : 'poster',
        medium: index % 3 === 0 ? 'print' : 'screen',
        campaign: inTurn(['spring', 'summer', 'autumn'], index),
      };
      const rules = index < 3 ? rulesOf(['blue', 'green']) : [];
      const {shortUrl} = await shortener.links.create(account, {url: 'https://own.example/', tags, utm, rules});
      links.push({account, shortUrl, tags, utm, isRemoved: false});
    }
  }
  return links;
}

/** What a user changes when a part of the year is over: names and shares of rules, tags, and a link that is removed. */
function changesOf({shortener}: Stage, links: readonly BookedLink[]): ReadonlyArray<readonly [number, () => unknown]> {
  const [first, second, third, fourth] = range(4).map((index) => inTurn(links, index));
  const change = (link: BookedLink | undefined, changes: UpdateLink): unknown =>
    link && shortener.links.update(link.account, link.shortUrl, changes);
  return [
    [0.3, () => change(first, {rules: rulesOf(['red', 'green'])})],
    [0.5, () => change(second, {rules: rulesOf(['blue'])})],
    [
      0.6,
      () => {
        if (third) third.tags = ['poster', 'late'];
        return change(third, {addTags: ['late'], removeTags: ['mail']});
      },
    ],
    [
      0.8,
      () => {
        if (fourth) fourth.isRemoved = true;
        return fourth && shortener.links.remove(fourth.account, fourth.shortUrl);
      },
    ],
  ];
}

async function post(origin: string, apiKey: string, operation: string, body: object): Promise<void> {
  const answer = await fetch(`${origin}/api/v1/shorturl/${operation}`, {
    method: 'POST',
    headers: {Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json'},
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`${operation} answered ${answer.status}: ${await answer.text()}`);
}
