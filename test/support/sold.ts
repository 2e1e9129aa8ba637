import type {ConversionStats} from '../../src/index.ts';

/** The conversions of a name as statistics show them. */
export function sold({
  name = 'order',
  currency = null,
  recordedBy = 'site',
  conversions = 0,
  value = 0,
  refunds = 0,
  refunded = 0,
}: Partial<ConversionStats>): ConversionStats {
  return {name, currency, recordedBy, conversions, value, refunds, refunded};
}
