import {type Answer, type Fields, linkModel, type LinkOperation} from '../../support/engines/link-model.ts';
import {firstContradiction} from '../../support/engines/linearizable.ts';
import type {Link} from '../../../src/link/link.ts';
import {type LinkRecord} from '../../../src/link/record.ts';
import {urlsIn} from '../../../src/link/urls.ts';
import {accounts, isRefused, query, type Seen, slugs} from '../seen.ts';
import type {Story} from '../story.ts';
import {isCreate} from './creates.ts';

/** The operations on each link are linearizable. */
export function linearizability(story: Story): string[] {
  const {seen, world} = story;
  return slugs.flatMap((slug) => {
    const all = seen.filter((each) => each.slug === slug);
    if (isOutOfModel(all, seen)) return [];
    const countsVisits = !world.isTroubled && !all.some(hasConditions);
    const history = all.flatMap((each) => operationOf(each, countsVisits));
    const contradiction = firstContradiction(history, linkModel({countsVisits}));
    if (contradiction === undefined) return [];
    const lines = history.toSorted((a, b) => a.start - b.start).map((operation) => JSON.stringify(operation));
    return [`Nothing explains\n${JSON.stringify(contradiction)}\nof ${slug} among\n${lines.join('\n')}`];
  });
}

/** A link that leads to a short URL is gone for its visitors, and a removed account may take the names of its links. */
function isOutOfModel(ofLink: readonly Seen[], all: readonly Seen[]): boolean {
  if (ofLink.some(({input}) => urlsIn(input ?? {}).some(([url]) => String(url).startsWith('https://example.com'))))
    return true;
  // A repeat with its key succeeds whatever has become of the link.
  if (ofLink.some(({once, input}) => once !== undefined && input?.customUrl !== undefined)) return true;
  const ofOperator = ['expel', 'blockAccount', 'unblockAccount'];
  return all.some((each) => ofOperator.includes(each.do)) && ofLink.some(({account}) => account === accounts.at(-1));
}

function hasConditions(each: Seen): boolean {
  const {input} = each;
  return (
    !isRefused(each) &&
    input !== undefined &&
    ['maxVisits', 'password', 'expiryDate', 'startDate'].some((name) => name in input)
  );
}

function operationOf(seen: Seen, countsVisits: boolean): LinkOperation[] {
  const {account, start, end, code, input, link, followed, read} = seen;
  const isVisit = seen.do === 'visit' || seen.do === 'attempt';
  const name = isVisit ? 'visit' : seen.do === 'limit' || seen.do === 'date' ? 'update' : seen.do;
  if (!isOperation(name)) return [];
  const operation: Omit<LinkOperation, 'answer'> = {
    name,
    account,
    start,
    end,
    ...(input?.url !== undefined && {url: input.url}),
    ...(input !== undefined && {fields: fieldsOf(input)}),
  };
  if (end === Infinity) return isVisit && !countsVisits ? [] : [{...operation, answer: undefined}];
  switch (name) {
    case 'visit':
      if (followed && !seen.isInOutage) return [{...operation, answer: redirectBy(followed)}];
      if (read && !seen.isInOutage) return countsVisits ? [] : [{...operation, answer: redirectBy(read)}];
      // A link is also gone when it has expired, and unknown before its first day.
      return (code === 404 || code === 410) && countsVisits ? [{...operation, answer: {code}}] : [];
    case 'create':
      return input?.customUrl !== undefined && (code === 200 || code === 409) ? [{...operation, answer: {code}}] : [];
    default: {
      const answer = answerOf(name, code ?? 0, link);
      return answer ? [{...operation, answer}] : [];
    }
  }
}

function isOperation(name: string): name is LinkOperation['name'] {
  return ['create', 'disable', 'enable', 'update', 'remove', 'info', 'visit', 'block', 'unblock'].includes(name);
}

/** Undefined for a refusal that says nothing about the order of operations. */
function answerOf(name: LinkOperation['name'], code: number, link: Seen['link']): Answer | undefined {
  if (code === 404 || code === 403) return {code};
  if (code !== 200) return undefined;
  if (name === 'remove') return {code, status: 'removed'};
  const status = link?.status === 'disabled' ? 'disabled' : 'active';
  if (name !== 'info' && name !== 'update') return {code, status};
  const shown = {code, status, url: link?.originalUrl, ...(link && {fields: shownFields(link)})};
  return name === 'update' ? shown : {...shown, totalVisits: link?.totalVisits ?? 0};
}

/** An expired link, which may redirect too, is active for its account. */
function redirectBy(record: LinkRecord): Answer {
  const {url, start, end} = record;
  const startDate = start === undefined ? null : dateOf(start);
  // The end is the moment after the last day.
  const expiryDate = end === undefined ? null : dateOf(end - 1);
  return {code: 302, url, fields: fieldsOf({...record, startDate, expiryDate})};
}

function shownFields(link: Partial<Link>): Fields {
  const [startDate, expiryDate] = [link.startDate, link.expiryDate].map((date) => date?.slice(0, 10));
  return fieldsOf({...link, startDate, expiryDate, password: link.hasPassword});
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The fields that `update` changes, apart from the long URL. */
const names = [
  'title',
  'tags',
  'password',
  'maxVisits',
  'startDate',
  'expiryDate',
  'expiredUrl',
  'forwardQuery',
  'rules',
];

/** Only whether there is a password is known. */
function fieldsOf(values: object): Fields {
  const fields: Record<string, unknown> = {
    ...values,
    ...('password' in values && {password: Boolean(values.password)}),
  };
  return Object.fromEntries(names.flatMap((name) => (name in fields ? [[name, textOf(fields[name])]] : [])));
}

/** Null for every value that stands for none. */
function textOf(value: unknown): string | null {
  const isNone = value === undefined || value === null || value === false;
  return isNone || (Array.isArray(value) && value.length === 0) ? null : JSON.stringify(value);
}

/** A visitor is sent where the link's rules, query and expiry say. Of a share each visitor gets the same each time. */
export function destinations({seen}: Story): string[] {
  const drawn = new Map<string, boolean>();
  return seen.flatMap(({slug, ip, start, followed, read, code, location, isMobile}) => {
    const record = followed ?? read;
    if (record === undefined || location === undefined) return [];
    const {url, expiredUrl, rules, forwardQuery} = record;
    const rule = isMobile ? rules?.[0] : undefined;
    const forwarded = forwardQuery ? query : '';
    const visitor = `${slug} ${ip}`;
    if (rule?.share !== undefined && code !== 410 && !drawn.has(visitor))
      drawn.set(visitor, location === rule.url + forwarded);
    const isChosen = rule?.share === undefined || drawn.get(visitor);
    const expected = code === 410 ? expiredUrl : (rule && isChosen ? rule.url : url) + forwarded;
    return location === expected ? [] : [`${slug} redirects to ${location} at ${start} instead of ${expected}`];
  });
}

/** No visitor is sent in a circle, also if the link that leads back is younger than the one that was followed. */
export function loops({seen}: Story): string[] {
  return seen.flatMap(({slug, start, location, isInOutage}) => {
    const target = slugs.find((other) => location?.replace(query, '') === `https://example.com/${other}`);
    if (target === undefined || isInOutage) return [];
    const others = seen.filter((each) => each.slug === target);
    // A link is unknown before its first day.
    if (others.some((each) => each.do === 'date')) return [];
    const back = `https://example.com/${slug}`;
    const isThere = others.some(
      (each) =>
        isCreate(each) &&
        each.input?.customUrl === target &&
        each.input.url === back &&
        each.code === 200 &&
        each.end < start,
    );
    return isThere ? [`${slug} redirects to ${target}, which leads back, at ${start}`] : [];
  });
}

/** A list has every link that was there all the time, and none that was not there. */
export function completeLists({seen}: Story): string[] {
  return seen.flatMap(({listed, account, start, end}) => {
    if (listed === undefined || end === Infinity) return [];
    return slugs.flatMap((slug) => {
      const own = seen.filter((each) => each.slug === slug && each.account === account);
      const creates = own.filter((each) => isCreate(each) && each.input?.customUrl !== undefined);
      const removals = own.filter((each) => each.do === 'remove' && each.code !== 404);
      const expulsions = seen.filter((each) => each.do === 'expel' && each.account === account);
      const isThere = creates.some(
        (create) =>
          create.do === 'create' &&
          create.code === 200 &&
          create.end < start &&
          [...removals, ...expulsions].every((other) => other.end < create.start || other.start > end),
      );
      if (isThere && listed.filter((other) => other === slug).length !== 1) {
        return [`The list of ${account} from ${start} to ${end} lacks ${slug} or repeats it: ${listed.join()}`];
      }
      const wasThere = creates.some(
        (create) =>
          create.start < end &&
          ![400, 401, 403, 409, 429].includes(create.code ?? 0) &&
          !removals.some((removal) => removal.code === 200 && removal.start > create.end && removal.end < start),
      );
      return listed.includes(slug) && !wasThere
        ? [`The list of ${account} from ${start} to ${end} has ${slug}, which was not there`]
        : [];
    });
  });
}
