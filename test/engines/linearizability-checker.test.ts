import test from 'ava';
import {isLinearizable} from '../support/engines/linearizable.ts';
import {linkModel, type LinkOperation} from '../support/engines/link-model.ts';
import {customerModel, orderModel} from '../support/engines/sale-models.ts';

const url = 'https://destination.example/0';
const found = {code: 302, url};
const unanswered: LinkOperation = {name: 'create', url, start: 0, end: Infinity, answer: undefined};
const created: LinkOperation = {...unanswered, end: 1, answer: {code: 200}};
const disabled: LinkOperation = {name: 'disable', start: 2, end: 4, answer: {code: 200, status: 'disabled'}};

function visit(start: number, answer: LinkOperation['answer']): LinkOperation {
  return {name: 'visit', start, end: start + 4, answer};
}

function update(change: Partial<LinkOperation>, answer: object): LinkOperation {
  return {name: 'update', start: 2, end: 3, ...change, answer: {code: 200, status: 'active', url, ...answer}};
}

function ofLink(history: readonly LinkOperation[]): boolean {
  const [strict, lenient] = [true, false].map((countsVisits) => isLinearizable(history, linkModel({countsVisits})));
  if (strict !== lenient) throw new Error('Only one of both accepts it');
  return strict === true;
}

type Customer = Parameters<typeof customerModel.perform>[1];
const ofCustomer = (history: readonly Customer[]): boolean => isLinearizable(history, customerModel);
const identified: Customer = {name: 'identify', link: 'one', start: 0, end: 2, answer: 'one'};

type Order = Parameters<typeof orderModel.perform>[1];
const ofOrder = (history: readonly Order[]): boolean => isLinearizable(history, orderModel);
const recorded: Order = {name: 'record', link: 'one', value: 3, start: 0, end: 2, answer: 'one'};
const refund: Order = {name: 'refund', refund: 'a', value: 2, start: 3, end: 5, answer: 2};

const accepted: Record<string, boolean> = {
  'a redirect that began before disable was acknowledged': ofLink([created, disabled, visit(3, found)]),
  'a create without an answer that happened, and another that is refused because of it': ofLink([
    unanswered,
    visit(1, {code: 404}),
    {...created, start: 6, end: 7, answer: {code: 409}},
    visit(8, found),
  ]),
  'a customer who got the link of another call at once': ofCustomer([
    identified,
    {name: 'identify', link: 'two', start: 1, end: 3, answer: 'one'},
  ]),
  'a refund that is repeated with another value': ofOrder([recorded, refund, {...refund, value: 3, start: 6, end: 7}]),
  'refunds of which only one fits': ofOrder([
    recorded,
    refund,
    {...refund, refund: 'b', start: 4, answer: 'refund_too_large'},
  ]),
};

const refused: Record<string, boolean> = {
  'a redirect that began after disable was acknowledged': ofLink([created, disabled, visit(5, found)]),
  'a redirect to the old destination after the change was acknowledged': ofLink([
    created,
    update({url: 'https://destination.example/1'}, {url: 'https://destination.example/1'}),
    visit(4, found),
  ]),
  'a redirect of a link that is used up': ofLink([
    created,
    update({decision: {isOver: true}}, {status: 'expired'}),
    visit(4, found),
  ]),
  'a customer with a second link': ofCustomer([
    identified,
    {name: 'identify', link: 'two', start: 3, end: 4, answer: 'two'},
  ]),
  'a customer who is found after `forget`': ofCustomer([
    identified,
    {name: 'forget', start: 3, end: 4, answer: true},
    {name: 'find', start: 5, end: 6, answer: 'one'},
  ]),
  'refunds of more than was paid': ofOrder([recorded, refund, {...refund, refund: 'b', start: 4}]),
  'a refund that no order explains': ofOrder([recorded, {...refund, answer: null}]),
};

for (const [verdict, histories] of Object.entries({accepts: accepted, refuses: refused})) {
  for (const [sentence, isAccepted] of Object.entries(histories)) {
    test(`the checker ${verdict} a history with ${sentence}`, (t) => {
      t.is(isAccepted, verdict === 'accepts');
    });
  }
}
