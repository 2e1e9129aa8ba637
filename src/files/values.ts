/** What was paid and given back in a currency, or without one, in the smallest unit, such as cents. */
export interface Amount {
  readonly currency: string | null;
  readonly value: number;
  readonly refunded: number;
}

/** The names of the columns of a currency in a CSV file. */
export function valueNames(currency: string | null): string[] {
  const end = currency === null ? '' : `_${currency.toLowerCase()}`;
  return [`value${end}`, `refunded${end}`];
}

/**
 * The cells of these columns.
 *
 * @param amounts at most one of the currency
 */
export function valueCells(amounts: readonly Amount[], currency: string | null): string[] {
  const {value = 0, refunded = 0} = amounts.find((each) => each.currency === currency) ?? {};
  return [decimal(value, currency), decimal(refunded, currency)];
}

const digitsOf = new Map<string, number>();

/** An amount as programs read it: `12.40`. Without a currency the size of a unit is unknown. */
export function decimal(value: number, currency: string | null): string {
  if (currency === null) return String(value);
  const known = digitsOf.get(currency);
  const digits =
    known ?? new Intl.NumberFormat('en', {style: 'currency', currency}).resolvedOptions().maximumFractionDigits ?? 0;
  if (known === undefined) digitsOf.set(currency, digits);
  return (value / 10 ** digits).toFixed(digits);
}
