import {field} from '../forms/field.ts';
import type {Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {firstPage, type FoundPage, type Part, placeIn, type ReadPart, readPage} from './pager.ts';

const orders = ['newest', 'oldest', 'visits', 'last_visit', 'conversions'] as const;
export type Order = (typeof orders)[number];

export interface OrderedPage<Item> extends FoundPage<Item> {
  readonly order: Order;
  /** Whether the list is too long for the order that was asked for. It has the newest links then. */
  readonly isTooLong: boolean;
}

/** The orders that a list offers: by conversions only where the pages show them. */
function ordersOf({hasConversions}: DashboardRequest): Order[] {
  return orders.filter((order) => order !== 'conversions' || hasConversions);
}

export async function readInOrder<Item>(
  request: DashboardRequest,
  length: number,
  read: (part: ReadPart & {readonly order: Order}) => Promise<Part<Item>>,
): Promise<OrderedPage<Item>> {
  const {query} = request;
  const order = ordersOf(request).find((each) => each === query.get('order')) ?? 'newest';
  try {
    const page = await readPage(placeIn(query), length, (part) => read({...part, order}));
    return {...page, order, isTooLong: false};
  } catch (error) {
    if ((error as {code?: unknown} | undefined)?.code !== 'too_many_links') throw error;
    const page = await readPage(firstPage, length, (part) => read({...part, order: 'newest'}));
    return {...page, order: 'newest', isTooLong: true};
  }
}

/** The parameter of an order in a query. Lists begin with the newest if they have none. */
export function orderParameter(order: Order): {order: string | undefined} {
  return {order: order === 'newest' ? undefined : order};
}

export function orderField(request: DashboardRequest, order: Order): Html {
  const {list} = request.texts;
  const options = ordersOf(request).map((each) => [orderParameter(each).order ?? '', list.orders[each]] as const);
  return field({name: 'order', label: list.order, options, attributes: {value: orderParameter(order).order ?? ''}});
}
