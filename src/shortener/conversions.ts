import type {Attribution} from '../conversions/attribution.ts';
import type {Conversions} from '../conversions/conversions.ts';
import {readCustomer} from '../conversions/input.ts';
import type {Person} from '../conversions/person.ts';
import {type Marker, tokensOf} from '../http/visit/via.ts';
import {isObject} from '../values/describe.ts';
import type {ConversionSource, ShortUrlConversions} from './interface.ts';

interface ConversionServices {
  readonly conversions: Conversions;
  readonly attribution: Attribution;
  /** Undefined without the option `attribution`. */
  readonly marker: Marker | undefined;
}

export function conversionsOf({conversions, attribution, marker}: ConversionServices): ShortUrlConversions {
  async function personOf(source: ConversionSource): Promise<Person> {
    if (marker === undefined) throw withoutAttribution();
    // Callers in JavaScript may pass anything.
    const given: unknown = source;
    if (!isObject(given)) throw withoutRequest();
    // The host may have set other properties of the context.
    if ('req' in source || 'headers' in source) {
      const request: unknown = 'req' in source ? source.req : source;
      if (!isObject(request) || !isObject(request['headers'])) throw withoutRequest();
      return {via: await attribution.first(tokensOf(source))};
    }
    if (!('via' in source || 'customer' in source)) throw withoutRequest();
    const {via, customer}: Person = source;
    // With `via`, an order may be of nobody who is known.
    return 'via' in source && customer === undefined ? {via} : {via, customer: readCustomer(customer)};
  }

  return {
    record: async (source, conversion) => conversions.record(await personOf(source), conversion),
    refund: async (refund) => conversions.refund(refund),
    identify: async (source, customer) => conversions.identify(await personOf(source), customer),
    find: async (source) => conversions.find(await personOf(source)),
    accept: async (ctx, kept) => {
      if (marker === undefined) throw withoutAttribution();
      if (!isObject(ctx) || !isObject(ctx.req) || !isObject(ctx.res)) throw withoutRequest();
      if (kept != null && !isObject(kept))
        throw new TypeError('Expected the second argument to be an object with `via`');
      return marker.accept(ctx, kept?.via);
    },
    forgetName: async (name) => conversions.forgetName(name),
    forget: async (customer) => conversions.forget(customer),
  };
}

/** Nobody would be marked, so nothing would ever count. */
function withoutAttribution(): TypeError {
  return new TypeError(
    'Conversions need the option `attribution`, which marks the visitors of links: `attribution: {}`',
  );
}

function withoutRequest(): TypeError {
  return new TypeError(
    'Expected the first argument to be the request of the customer, its context, an object with `via`, or one with `customer`; `accept` needs the request and the response',
  );
}
