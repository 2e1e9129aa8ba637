import type {Model, Timed} from './linearizable.ts';

export type CustomerRequest = Readonly<{name: 'identify'; link: string} | {name: 'find'} | {name: 'forget'}>;

/** The link of the customer or null, and of `forget` whether there was one. */
export type CustomerAnswer = string | null | boolean;

/** The contract of one customer: the first link stays until somebody forgets the customer. */
export const customerModel: Model<CustomerRequest & Timed<CustomerAnswer>, string | null> = {
  initial: null,
  perform: (link, {answer, ...request}) => {
    const [next, expected] = aboutCustomer(link, request);
    return {next, isExplained: answer === undefined || answer === expected};
  },
  isRead: ({name, answer}) => name === 'find' || answer === false,
};

function aboutCustomer(link: string | null, request: CustomerRequest): [next: string | null, CustomerAnswer] {
  if (request.name === 'forget') return [null, link !== null];
  const next = request.name === 'identify' ? (link ?? request.link) : link;
  return [next, next];
}

export type OrderRequest =
  | {readonly name: 'record'; readonly link: string; readonly value: number}
  /** Without a value, of all that is left. */
  | {readonly name: 'refund'; readonly refund: string; readonly value: number | undefined};

/** The link of the order, the value of the refund, null for an unknown order, or the code of the error. */
export type OrderAnswer = string | number | null;

/** An order with its refunds by their ids. */
interface Order {
  readonly link: string;
  readonly value: number;
  readonly refunds: Readonly<Record<string, number>>;
}

/** The contract of one order: its first link stays, and its refunds are never more than its value. */
export const orderModel: Model<OrderRequest & Timed<OrderAnswer>, Order | null> = {
  initial: null,
  perform: (order, {answer, ...request}) => {
    const [next, expected] = aboutOrder(order, request);
    return {next, isExplained: answer === undefined || answer === expected};
  },
  isRead: ({answer}) => answer === null || answer === 'refund_too_large',
};

function aboutOrder(order: Order | null, request: OrderRequest): [next: Order | null, OrderAnswer] {
  if (request.name === 'record') {
    const {link, value} = request;
    const next = order ?? {link, value, refunds: {}};
    return [next, next.link];
  }
  if (order === null) return [order, null];
  const {refunds} = order;
  const before = refunds[request.refund];
  if (before !== undefined) return [order, before];
  const left = Object.values(refunds).reduce((rest, each) => rest - each, order.value);
  const value = request.value ?? left;
  if (value > left || left === 0) return [order, 'refund_too_large'];
  return [{...order, refunds: {...refunds, [request.refund]: value}}, value];
}
