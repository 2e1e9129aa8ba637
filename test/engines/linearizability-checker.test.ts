import test from 'ava';
import fc from 'fast-check';
import {
  type Answer,
  type Decision,
  firstContradiction,
  isLinearizable,
  type Operation,
} from '../support/engines/linearizable.ts';

const url = 'https://destination.example/0';
const found = {code: 302, url};
const gone = {code: 410};
const created = {code: 200};
const taken = {code: 409};
const unknown = {code: 404};
const disabled = {code: 200, status: 'disabled'};
const enabled = {code: 200, status: 'active'};
const updated = {code: 200, status: 'active', url};
const removed = {code: 200, status: 'removed'};
const elsewhere = {code: 302, url: 'https://destination.example/1'};

function shown(status: string, totalVisits: number): Answer {
  return {code: 200, url, status, totalVisits};
}

/** An operation between two times; without an answer it has no end. */
function operation(
  name: Operation['name'],
  start: number,
  end: number,
  answer?: Answer,
  longUrl: string | undefined = name === 'create' || name === 'update' ? url : undefined,
  more: Pick<Operation, 'decision' | 'isSpecial'> = {},
): Operation {
  return {name, start, end: answer ? end : Infinity, answer, ...(longUrl !== undefined && {url: longUrl}), ...more};
}

/** Histories as lists of name, start, end, answer and long URL. */
type Written = ReadonlyArray<Parameters<typeof operation>>;

/** A link that was created between 0 and 1. */
const made: Written = [['create', 0, 1, created]];

const special = {isSpecial: true};

/** An update that changes what decides, with the status in its answer. */
function decided(start: number, decision: Partial<Decision>, shownAs = 'active'): Written[number] {
  return ['update', start, start + 1, {...updated, status: shownAs}, url, {decision}];
}

/** What the search through every order does not try, and the histories that explain the checker. */
const accepted: Record<string, Written> = {
  'nothing at all': [],
  'a redirect that began before disable was acknowledged': [
    ...made,
    ['disable', 2, 4, disabled],
    ['visit', 3, 9, found],
  ],
  'a redirect after a refusal, with an enable between them': [
    ...made,
    ['disable', 2, 9, disabled],
    ['enable', 2, 9, enabled],
    ['visit', 3, 4, found],
    ['visit', 5, 6, gone],
    ['visit', 7, 8, found],
  ],
  'a create without an answer that happened, and another that is refused because of it': [
    ['create', 0, 1],
    ['visit', 2, 3, unknown],
    ['create', 4, 5, taken],
    ['visit', 6, 7, found],
  ],
  'counts that concurrent visits explain in either order': [
    ...made,
    ['visit', 2, 9, found],
    ['visit', 2, 9, found],
    ['info', 3, 4, shown('active', 0)],
    ['info', 5, 6, shown('active', 2)],
    ['info', 7, 8, shown('active', 2)],
  ],
  'redirects to the old and the new destination during a change': [
    ['create', 0, 1, created, elsewhere.url],
    ['update', 2, 9, updated],
    ['visit', 2, 4, found],
    ['visit', 2, 3, elsewhere],
    ['visit', 5, 6, found],
  ],
  'a link that was removed and created again, without its visits': [
    ...made,
    ['visit', 2, 3, found],
    ['remove', 4, 5, removed],
    ['visit', 6, 7, gone],
    ['remove', 8, 9, unknown],
    ['create', 10, 11, created],
    ['info', 12, 13, shown('active', 0)],
  ],
  'a rule that is made and cleared': [
    ...made,
    decided(2, {special: elsewhere.url}),
    ['visit', 4, 5, elsewhere, undefined, special],
    ['visit', 4, 5, found],
    decided(6, {special: null}),
    ['visit', 8, 9, found, undefined, special],
  ],
  'a link that is used up, sends visitors elsewhere after expiry and is brought back': [
    ...made,
    decided(2, {isOver: true}, 'expired'),
    ['visit', 4, 5, gone],
    decided(6, {expired: elsewhere.url}, 'expired'),
    ['visit', 8, 9, elsewhere, undefined, special],
    ['enable', 8, 9, {code: 409}],
    ['disable', 10, 11, disabled],
    ['visit', 12, 13, gone],
    ['enable', 12, 13, {code: 409}],
    decided(14, {isOver: false}, 'disabled'),
    ['enable', 16, 17, enabled],
    ['visit', 18, 19, found],
  ],
  'a link whose first day is moved away and back': [
    ...made,
    decided(2, {isScheduled: true}, 'scheduled'),
    ['visit', 4, 5, unknown],
    decided(6, {isScheduled: false}),
    ['visit', 8, 9, found],
  ],
};

const refused: Record<string, Written> = {
  'a redirect that began after disable was acknowledged': [
    ...made,
    ['disable', 2, 3, disabled],
    ['visit', 4, 5, found],
  ],
  'a redirect to the old destination that began after the change was acknowledged': [
    ['create', 0, 1, created, elsewhere.url],
    ['update', 2, 3, updated],
    ['visit', 4, 5, elsewhere],
  ],
  'a redirect to the long URL of a refused create': [
    ...made,
    ['visit', 2, 3, {code: 302, url: 'https://destination.example/1'}],
  ],
  'a redirect between two refusals during one disable': [
    ...made,
    ['disable', 2, 9, disabled],
    ['visit', 3, 4, gone],
    ['visit', 5, 6, found],
  ],
  'a redirect, a refusal and a redirect around one disable without an answer': [
    ...made,
    ['disable', 2, 3],
    ['visit', 4, 5, gone],
    ['visit', 6, 7, found],
  ],
  'a redirect past a rule that was acknowledged before': [
    ...made,
    decided(2, {special: elsewhere.url}),
    ['visit', 4, 5, found, undefined, special],
  ],
  'a redirect by a rule of a visitor whom it does not fit': [
    ...made,
    decided(2, {special: elsewhere.url}),
    ['visit', 4, 5, elsewhere],
  ],
  'a redirect of a link that is used up': [...made, decided(2, {isOver: true}, 'expired'), ['visit', 4, 5, found]],
  'a limit that is used up and shown as active': [...made, decided(2, {isOver: true})],
  'an enable of a link that is used up': [...made, decided(2, {isOver: true}, 'expired'), ['enable', 4, 5, enabled]],
  'a redirect before the first day': [...made, decided(2, {isScheduled: true}, 'scheduled'), ['visit', 4, 5, found]],
  'an answer that no operation gives': [...made, ['visit', 2, 3, {code: 500}]],
};

/** Refused only if counts are checked. */
const miscounted: Record<string, Written> = {
  'a count that goes back': [
    ...made,
    ['visit', 2, 9, found],
    ['info', 3, 4, shown('active', 1)],
    ['info', 5, 6, shown('active', 0)],
  ],
  'a link that was created again with the visits of the old one': [
    ...made,
    ['visit', 2, 3, found],
    ['remove', 4, 5, removed],
    ['create', 6, 7, created],
    ['info', 8, 9, shown('active', 1)],
  ],
};

const status = {countsVisits: false};
const statusAndCounts = {countsVisits: true};

function history(written: Written): Operation[] {
  return written.map((each) => operation(...each));
}

for (const [sentence, written] of Object.entries(accepted)) {
  test(`the checker accepts a history with ${sentence}`, (t) => {
    t.true(isLinearizable(history(written), status));
    t.true(isLinearizable(history(written), statusAndCounts));
    t.true(isLinearizable(history(written).reverse(), statusAndCounts));
  });
}

for (const [sentence, written] of Object.entries(refused)) {
  test(`the checker refuses a history with ${sentence}`, (t) => {
    t.false(isLinearizable(history(written), status));
    t.false(isLinearizable(history(written), statusAndCounts));
    t.false(isLinearizable(history(written).reverse(), status));
  });
}

for (const [sentence, written] of Object.entries(miscounted)) {
  test(`the checker refuses the counts of a history with ${sentence}`, (t) => {
    t.true(isLinearizable(history(written), status));
    t.false(isLinearizable(history(written), statusAndCounts));
  });
}

test('the first contradiction is the earliest answer that the earlier requests do not explain', (t) => {
  const operations = history([
    ...made,
    ['visit', 12, 13, found],
    ['visit', 2, 11, found],
    ['disable', 2, 3, disabled],
    ['visit', 4, 5, gone],
    ['visit', 6, 7, found],
    ['enable', 8, 9, enabled],
  ]);
  t.is(firstContradiction(operations, status), operations[5]);
  t.is(firstContradiction(operations.toSpliced(5, 1), status), undefined);
});

/** Whether the operations in this order explain all answers. */
function isExplainedBy(order: readonly Operation[], countsVisits: boolean): boolean {
  let now: string | undefined;
  let wasThere = false;
  let visits = 0;
  return order.every(({name, answer}) => {
    const before = now;
    if (name === 'create') {
      if (now === undefined) visits = 0;
      now ??= 'active';
      wasThere = true;
    } else if (now !== undefined && name === 'disable') now = 'disabled';
    else if (now !== undefined && name === 'enable') now = 'active';
    else if (name === 'remove') now = undefined;
    else if (now === 'active' && name === 'visit') visits += 1;
    if (answer === undefined) return true;
    if (name === 'create') return answer.code === (before === undefined ? 200 : 409);
    if (name === 'remove') return answer.code === (before === undefined ? 404 : 200);
    if (now === undefined) return answer.code === (name === 'visit' && wasThere ? 410 : 404);
    if (name === 'visit') return answer.code === (now === 'active' ? 302 : 410);
    if (answer.code !== 200 || answer.status !== now) return false;
    return name !== 'info' || !countsVisits || answer.totalVisits === visits;
  });
}

/** Tries every order that respects real time, with and without each unanswered operation. */
function isLinearizableByTrial(
  pending: readonly Operation[],
  done: readonly Operation[],
  countsVisits: boolean,
): boolean {
  if (pending.every(({answer}) => answer === undefined) && isExplainedBy(done, countsVisits)) return true;
  return pending.some((operation) => {
    const rest = pending.filter((other) => other !== operation);
    const isNext = rest.every(({end}) => end >= operation.start);
    return isNext && isLinearizableByTrial(rest, [...done, operation], countsVisits);
  });
}

test('the checker agrees with a search through every order', (t) => {
  const names = ['create', 'disable', 'enable', 'update', 'remove', 'visit', 'visit', 'info'] as const;
  const answers: Record<(typeof names)[number], ReadonlyArray<Answer | undefined>> = {
    create: [created, taken, undefined],
    disable: [disabled, disabled, unknown, undefined],
    enable: [enabled, enabled, unknown, undefined],
    update: [updated, updated, {...updated, status: 'disabled'}, unknown, undefined],
    remove: [removed, unknown, undefined],
    visit: [found, found, gone, unknown, undefined],
    info: ['active', 'disabled'].flatMap((each) => [0, 1, 2].map((visits) => shown(each, visits))),
  };
  const any = fc
    .constantFrom(...names)
    .chain((name) => fc.tuple(fc.constant(name), fc.nat(9), fc.nat(9), fc.constantFrom(...answers[name])))
    .map(([name, start, length, answer]) => operation(name, start + 1, start + 1 + length, answer));
  let isOrdered = 0;
  const histories = fc.sample(fc.array(any, {minLength: 1, maxLength: 5}), 3000);
  for (const each of histories) {
    const operations = [operation('create', 0, 4, created), ...each];
    for (const countsVisits of [false, true]) {
      const expected = isLinearizableByTrial(operations, [], countsVisits);
      t.is(isLinearizable(operations, {countsVisits}), expected, JSON.stringify(operations));
      isOrdered += Number(expected);
    }
  }
  t.true(isOrdered > 500 && isOrdered < 5500, `${isOrdered} of 6000 have an order`);
});
