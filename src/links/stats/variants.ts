import {conversionOfVariant, variantDetail} from '../../link/counters.ts';
import type {LinkRecord} from '../../link/record.ts';
import {ownVariant, variantsOf} from '../../link/rules.ts';
import type {ConversionStats, LinkStats, VariantStats} from './statistics.ts';
import {addConversions, partOf} from './visit-stats.ts';

/**
 * The variants of a link: its own URL, its rules, and names that it had before; undefined if its visits were never counted
 * by variant.
 *
 * @param counted the details that variants are
 */
export function toVariants({isSplit, rules = []}: LinkRecord, counted: LinkStats['details']): LinkStats['variants'] {
  if (!isSplit) return undefined;
  const none = {visits: 0, conversions: [] as ConversionStats[]};
  const found = new Map([ownVariant, ...variantsOf(rules)].map((name) => [name, none]));
  for (const [detail, values] of Object.entries(counted)) {
    const conversion = conversionOfVariant(detail);
    for (const {value: name, visits: n} of values) {
      const {visits, conversions} = found.get(name) ?? none;
      if (detail === variantDetail()) found.set(name, {conversions, visits: visits + n});
      else if (conversion) found.set(name, {visits, conversions: [...conversions, partOf(conversion, n)]});
    }
  }
  return Array.from(found, ([name, {visits, conversions}]): VariantStats => {
    return {name, visits, conversions: addConversions(conversions)};
  });
}
