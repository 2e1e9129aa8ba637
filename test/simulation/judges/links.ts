import type {Answer, Operation} from '../../support/engines/linearizable.ts';
import {firstContradiction} from '../../support/engines/linearizable.ts';
import {accounts, type Seen, slugs, type Story} from '../story.ts';

/** The operations on each link are linearizable. */
export function linearizability(story: Story): string[] {
  const {seen, world} = story;
  return slugs.flatMap((slug) => {
    const all = seen.filter((each) => each.slug === slug);
    if (isOutOfModel(all, seen)) return [];
    const countsVisits = !world.isTroubled && !all.some(hasConditions);
    const history = all.flatMap((each) => operationOf(each, countsVisits));
    const contradiction = firstContradiction(history, {countsVisits});
    if (contradiction === undefined) return [];
    const lines = history.toSorted((a, b) => a.start - b.start).map((operation) => JSON.stringify(operation));
    return [`Nothing explains\n${JSON.stringify(contradiction)}\nof ${slug} among\n${lines.join('\n')}`];
  });
}

/** A link that leads to a short URL is pending for a while, and a removed account may take the names of its links. */
function isOutOfModel(ofLink: readonly Seen[], all: readonly Seen[]): boolean {
  if (ofLink.some(({input}) => input?.url?.startsWith('https://example.com'))) return true;
  // A repeat with its key succeeds whatever has become of the link.
  if (ofLink.some(({once, input}) => once !== undefined && input?.customUrl !== undefined)) return true;
  const ofOperator = ['expel', 'blockAccount', 'unblockAccount'];
  return all.some((each) => ofOperator.includes(each.do)) && ofLink.some(({account}) => account === accounts.at(-1));
}

function hasConditions({input}: Seen): boolean {
  return input !== undefined && ['maxVisits', 'password', 'expiryDate', 'startDate'].some((name) => name in input);
}

function operationOf(seen: Seen, countsVisits: boolean): Operation[] {
  const {account, start, end, code, input, link, followed} = seen;
  const isVisit = seen.do === 'visit' || seen.do === 'attempt';
  const name = isVisit ? 'visit' : seen.do === 'limit' || seen.do === 'date' ? 'update' : seen.do;
  if (!isOperation(name)) return [];
  const operation: Omit<Operation, 'answer'> = {
    name,
    account,
    start,
    end,
    ...(input?.url !== undefined && {url: input.url}),
  };
  if (end === Infinity) return isVisit && !countsVisits ? [] : [{...operation, answer: undefined}];
  switch (name) {
    case 'visit':
      if (code === 302 && !seen.isInOutage) return [{...operation, answer: {code, url: followed?.url}}];
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

function isOperation(name: string): name is Operation['name'] {
  return ['create', 'disable', 'enable', 'update', 'remove', 'info', 'visit', 'block', 'unblock'].includes(name);
}

/** Undefined for a refusal that says nothing about the order of operations. */
function answerOf(name: Operation['name'], code: number, link: Seen['link']): Answer | undefined {
  if (code === 404 || code === 403) return {code};
  if (code !== 200) return undefined;
  if (name === 'remove') return {code, status: 'removed'};
  const status = link?.status === 'disabled' ? 'disabled' : 'active';
  if (name === 'update') return {code, status, url: link?.originalUrl};
  if (name !== 'info') return {code, status};
  return {code, status, url: link?.originalUrl, totalVisits: link?.totalVisits ?? 0};
}

/** A create that is repeated with its key creates one link. */
export function createsOnce({seen}: Story): string[] {
  // An account that is created again has other keys.
  if (seen.some((each) => each.do === 'expel')) return [];
  const ids = new Map<string, number | undefined>();
  return seen.flatMap(({once, code, account, link}) => {
    if (once === undefined || code !== 200) return [];
    const key = `${account} ${once}`;
    if (!ids.has(key)) ids.set(key, link?.urlId);
    return ids.get(key) === link?.urlId ? [] : [`${key} has created the links ${ids.get(key)} and ${link?.urlId}`];
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

/** No `url_id` is given twice, and an account creates no more links a day than its quota. */
export function creates({seen, plan, world}: Story): string[] {
  const problems: string[] = [];
  const all = seen.filter(isCreate);
  const created = all.filter(
    ({code, once, link}, index) =>
      code === 200 && (once === undefined || all.findIndex((other) => other.link?.urlId === link?.urlId) === index),
  );
  const ids = created.map(({link}) => link?.urlId);
  if (new Set(ids).size < ids.length) problems.push(`A url_id was given twice: ${ids.join()}`);
  if (plan.quota === 0) return problems;
  const dayOf = (date: number): number => Math.floor(date / 86_400_000);
  for (const account of accounts) {
    const own = created.filter((each) => each.account === account);
    for (const day of new Set(own.map(({began}) => dayOf(began)))) {
      const today = own.filter(({began, ended}) => dayOf(began) === day && dayOf(ended) === day);
      if (today.length > plan.quota) {
        problems.push(`${account} has created ${today.length} links with a quota of ${plan.quota}`);
      }
    }
    if (world.isTroubled) continue;
    // A link that is refused by the second look at its destination, with 400, has taken its name.
    const others = all.filter((each) => each.account === account && ![401, 403, 409, 429].includes(each.code ?? 0));
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

function isCreate(seen: Seen): boolean {
  return seen.do === 'create' || seen.do === 'createOnce';
}
