import {field} from '../forms/field.ts';
import type {Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {firstPage, type FoundPage, type Part, placeIn, type ReadPart, readPage} from './pager.ts';

const linkOrders = ['newest', 'oldest', 'visits', 'last_visit', 'conversions', 'expiry_date'] as const;
export type LinkOrder = (typeof linkOrders)[number];

/** The orders that a list of links offers: by conversions only where the pages show them. */
export function linkOrdersOf({hasConversions}: Pick<DashboardRequest, 'hasConversions'>): LinkOrder[] {
  return linkOrders.filter((order) => order !== 'conversions' || hasConversions);
}

/** `newest` is the first order of every list. */
type Named = 'newest' | (string & {});

export interface OrderedPage<Item, Order extends Named = LinkOrder> extends FoundPage<Item> {
  readonly order: Order;
  /** Whether the list is too long for the order that was asked for. It has the newest items then. */
  readonly isTooLong: boolean;
}

/** The order that a query asks for. */
export function orderIn<Order extends Named>(query: URLSearchParams, orders: readonly Order[]): Order | 'newest' {
  return orders.find((each) => each === query.get('order')) ?? 'newest';
}

export async function readInOrder<Item, Order extends Named>(
  {query}: DashboardRequest,
  {orders, length}: {readonly orders: readonly Order[]; readonly length: number},
  read: (part: ReadPart & {readonly order: Order | 'newest'}) => Promise<Part<Item>>,
): Promise<OrderedPage<Item, Order | 'newest'>> {
  const order = orderIn(query, orders);
  const page = await unlessTooMany(readPage(placeIn(query), length, (part) => read({...part, order})));
  if (page !== undefined) return {...page, order, isTooLong: false};
  const newest = await readPage(firstPage, length, (part) => read({...part, order: 'newest'}));
  return {...newest, order: 'newest', isTooLong: true};
}

/** What is read; undefined if there are more links, or accounts, than can be put in order. */
export async function unlessTooMany<Read>(reading: Promise<Read>): Promise<Read | undefined> {
  return reading.catch((error: unknown) => {
    if ((error as {code?: unknown} | undefined)?.code !== 'too_many_links') throw error;
    return undefined;
  });
}

/** @param names the orders that the list offers, as the page names them */
export function orderField<Order extends Named>(
  {texts}: DashboardRequest,
  names: ReadonlyArray<readonly [order: Order, name: string]>,
  order: Order,
): Html {
  return field({name: 'order', label: texts.list.order, options: names, attributes: {value: order}});
}

export function linkOrderField(request: DashboardRequest, order: LinkOrder): Html {
  const {orders} = request.texts.list;
  return orderField(
    request,
    linkOrdersOf(request).map((each) => [each, orders[each]] as const),
    order,
  );
}
