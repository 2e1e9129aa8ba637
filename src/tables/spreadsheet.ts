import {isFiller, monthOf} from './months.ts';

const truth = /^(?:true|false|wahr|falsch|vrai|faux|verdadero|falso|vero|verdadeiro|waar|onwaar)$/i;
/** What numbers, dates, times, shares and amounts have besides words. */
const figures = /^[\d\s.,:/%()+€$£¥-]+$/;
const ofNumber = /^(?:e|[ap]\.?m\.?)$/i;

/** Whether a spreadsheet that opens and saves a text may change it. A whole number stays the same. */
function isChanged(text: string): boolean {
  if (truth.test(text)) return true;
  if (!/\d/.test(text) || /^(?:0|[1-9]\d{0,14})$/.test(text)) return false;
  const isKnown = (word: string): boolean => ofNumber.test(word) || monthOf(word) !== undefined || isFiller(word);
  return figures.test(text.replaceAll(/[ap]\.m\.|[\p{L}\p{M}]+/giu, (word) => (isKnown(word) ? ' ' : word)));
}

/**
 * A text that a spreadsheet keeps: with an apostrophe before what it would take for a number or a date. A text that looks
 * as if it had one gets one, too, so that an import can take one away from each.
 */
export function keepText(text: string): string {
  return isChanged(text.replace(/^'+/, '')) ? `'${text}` : text;
}

/** The text before `keepText`. */
export function keptText(text: string): string {
  return text.startsWith("'") && isChanged(text.replace(/^'+/, '')) ? text.slice(1) : text;
}
