import {History} from './history.ts';
import {
  type CustomerAnswer,
  customerModel,
  type CustomerRequest,
  type OrderAnswer,
  orderModel,
  type OrderRequest,
} from './sale-models.ts';
import type {Converted} from './site-process.ts';
import type {SiteProcess} from './site-processes.ts';

/** One customer and one order, about which any process of a site is called by the site's own code. */
export class SaleHistory {
  readonly customer = new History<CustomerRequest, CustomerAnswer>();
  readonly order = new History<OrderRequest, OrderAnswer>();
  readonly #id: string;
  readonly #tokens: ReadonlyMap<string, string>;

  /** @param tokens a token of each link */
  constructor(id: string, tokens: ReadonlyMap<string, string>) {
    this.#id = id;
    this.#tokens = tokens;
  }

  async perform(site: SiteProcess, request: CustomerRequest | OrderRequest): Promise<void> {
    const id = this.#id;
    const order = {name: 'order', id};
    switch (request.name) {
      case 'identify':
        return this.customer.record(request, async () =>
          linkIn(await site.convert('identify', this.#visitorOf(request.link), id)),
        );
      case 'find':
        return this.customer.record(request, async () => linkIn(await site.convert('find', {customer: id})));
      case 'forget':
        return this.customer.record(request, async () => resultOf(await site.convert('forget', id)) as boolean);
      case 'record': {
        const {link, value} = request;
        return this.order.record(request, async () =>
          linkIn(await site.convert('record', this.#visitorOf(link), {...order, value})),
        );
      }
      case 'refund': {
        const {refund, value} = request;
        return this.order.record(request, async () => {
          const converted = await site.convert('refund', {...order, refund, value});
          if ('error' in converted && converted.error === 'refund_too_large') return converted.error;
          return (resultOf(converted) as {value: number} | null)?.value ?? null;
        });
      }
    }
  }

  #visitorOf(link: string): {readonly via: string | undefined} {
    return {via: this.#tokens.get(link)};
  }

  isRecorded(): boolean {
    return this.order.operations.some(({name, answer}) => name === 'record' && answer !== undefined);
  }

  /** The value of each refund. */
  refunded(): number[] {
    const refunds = this.order.operations.flatMap((operation) =>
      operation.name === 'refund' && typeof operation.answer === 'number'
        ? [[operation.refund, operation.answer] as const]
        : [],
    );
    return Array.from(new Map(refunds).values());
  }

  contradiction(): string | undefined {
    return this.customer.contradiction(customerModel) ?? this.order.contradiction(orderModel);
  }
}

function resultOf(converted: Converted): unknown {
  if ('error' in converted) throw new Error(converted.error);
  return converted.result;
}

/** The short URL of the link in the result of a call. */
export function linkIn(converted: Converted): string | null {
  return (resultOf(converted) as {link: {shortUrl: string}} | null)?.link.shortUrl ?? null;
}
