/** What was paid and given back in a currency, or without one, in the smallest unit, such as cents. */
export interface Amount {
  readonly currency: string | null;
  readonly recordedBy: 'site' | 'account';
  readonly value: number;
  readonly refunded: number;
}

/** What tells amounts apart that must not be added. */
export type AmountKind = Pick<Amount, 'currency' | 'recordedBy'>;

/** The names of the columns of a kind of amounts in a CSV file. */
export function valueNames({currency, recordedBy}: AmountKind): string[] {
  const end = `${currency === null ? '' : `_${currency.toLowerCase()}`}${recordedBy === 'site' ? '' : '_api'}`;
  return [`value${end}`, `refunded${end}`];
}

/**
 * The cells of these columns.
 *
 * @param amounts at most one of the kind
 */
export function valueCells(amounts: readonly Amount[], {currency, recordedBy}: AmountKind): string[] {
  const found = amounts.find((each) => each.currency === currency && each.recordedBy === recordedBy);
  const {value = 0, refunded = 0} = found ?? {};
  return [decimal(value, currency), decimal(refunded, currency)];
}

/** The currencies of ISO 4217 whose smallest unit is not a hundredth. */
const otherDigits: ReadonlyArray<readonly [digits: number, currencies: string]> = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];

const digitsByCurrency = new Map(
  otherDigits.flatMap(([digits, currencies]) => currencies.split(' ').map((currency) => [currency, digits] as const)),
);

/**
 * How many digits of an amount are behind the decimal point, by ISO 4217. `Intl` has the digits of CLDR, which show what is
 * paid in cash: none for HUF in some versions of Node.js.
 */
export function digitsOf(currency: string): number {
  return digitsByCurrency.get(currency) ?? 2;
}

/** An amount as programs read it: `12.40`. Without a currency the size of a unit is unknown. */
export function decimal(value: number, currency: string | null): string {
  if (currency === null) return String(value);
  const digits = digitsOf(currency);
  return (value / 10 ** digits).toFixed(digits);
}
