import test from 'ava';
import {type Answer, type Decision, isLinearizable, type Operation} from '../support/engines/linearizable.ts';

const url = 'https://destination.example/0';
const found = {code: 302, url};
const gone = {code: 410};
const created = {code: 200};
const taken = {code: 409};
const unknown = {code: 404};
const disabled = {code: 200, status: 'disabled'};
const enabled = {code: 200, status: 'active'};
const updated = {code: 200, status: 'active', url};
const elsewhere = {code: 302, url: 'https://destination.example/1'};

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
  'a redirect that began before disable was acknowledged': [
    ...made,
    ['disable', 2, 4, disabled],
    ['visit', 3, 9, found],
  ],
  'a create without an answer that happened, and another that is refused because of it': [
    ['create', 0, 1],
    ['visit', 2, 3, unknown],
    ['create', 4, 5, taken],
    ['visit', 6, 7, found],
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
  'a redirect past a rule that was acknowledged before': [
    ...made,
    decided(2, {special: elsewhere.url}),
    ['visit', 4, 5, found, undefined, special],
  ],
  'a redirect of a link that is used up': [...made, decided(2, {isOver: true}, 'expired'), ['visit', 4, 5, found]],
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
  });
}

for (const [sentence, written] of Object.entries(refused)) {
  test(`the checker refuses a history with ${sentence}`, (t) => {
    t.false(isLinearizable(history(written), status));
    t.false(isLinearizable(history(written), statusAndCounts));
  });
}
