import {monthOf} from './months.ts';

/** What a spreadsheet takes for a number, a date, a time, a share or an amount, and writes in another way. */
const number = /^(?=.*\d)[\d\s.,:/%()+€$£¥-]+(?:e[+-]?\d+|[ap]m)?$/i;
const truth = /^(?:true|false|wahr|falsch|vrai|faux|verdadero|falso)$/i;
const withMonth = /^(?:\d{1,2}[\s./-]{0,2})?(\p{L}{3,9})\.?(?:[\s./-]{0,2}\d{1,4})?$/u;

/** Whether a spreadsheet that opens and saves a text may change it. A whole number stays the same. */
function isChanged(text: string): boolean {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return false;
  const [, month] = withMonth.exec(text) ?? [];
  return (
    number.test(text) || truth.test(text) || (month !== undefined && /\d/.test(text) && monthOf(month) !== undefined)
  );
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
