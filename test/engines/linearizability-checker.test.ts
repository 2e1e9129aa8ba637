import test from 'ava';
import {isLinearizable, type Operation} from '../support/engines/linearizable.ts';

const url = 'https://destination.example/0';
const found = {code: 302, url};
const unanswered: Operation = {name: 'create', url, start: 0, end: Infinity, answer: undefined};
const created: Operation = {...unanswered, end: 1, answer: {code: 200}};
const disabled: Operation = {name: 'disable', start: 2, end: 4, answer: {code: 200, status: 'disabled'}};

function visit(start: number, answer: Operation['answer']): Operation {
  return {name: 'visit', start, end: start + 4, answer};
}

function update(change: Partial<Operation>, answer: object): Operation {
  return {name: 'update', start: 2, end: 3, ...change, answer: {code: 200, status: 'active', url, ...answer}};
}

const accepted: Record<string, Operation[]> = {
  'a redirect that began before disable was acknowledged': [created, disabled, visit(3, found)],
  'a create without an answer that happened, and another that is refused because of it': [
    unanswered,
    visit(1, {code: 404}),
    {...created, start: 6, end: 7, answer: {code: 409}},
    visit(8, found),
  ],
};

const refused: Record<string, Operation[]> = {
  'a redirect that began after disable was acknowledged': [created, disabled, visit(5, found)],
  'a redirect to the old destination after the change was acknowledged': [
    created,
    update({url: 'https://destination.example/1'}, {url: 'https://destination.example/1'}),
    visit(4, found),
  ],
  'a redirect of a link that is used up': [
    created,
    update({decision: {isOver: true}}, {status: 'expired'}),
    visit(4, found),
  ],
};

for (const [isAccepted, histories] of [
  [true, accepted],
  [false, refused],
] as const) {
  for (const [sentence, history] of Object.entries(histories)) {
    test(`the checker ${isAccepted ? 'accepts' : 'refuses'} a history with ${sentence}`, (t) => {
      for (const countsVisits of [false, true]) t.is(isLinearizable(history, {countsVisits}), isAccepted);
    });
  }
}
