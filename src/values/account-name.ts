import {shapeOf} from './shape.ts';

/** In UTF-16 units. A half of a pair of them is no character. */
const maxAccountName = 255;

/** How the host names an account. */
export const anAccountName = shapeOf<string | number>({
  expected: `a string of 1 to ${maxAccountName} characters or a safe integer`,
  holds: (name) => (typeof name === 'string' ? isAccountName(name) : Number.isSafeInteger(name)),
});

export function isAccountName(text: string): boolean {
  return text !== '' && text.length <= maxAccountName && !/\p{Surrogate}/u.test(text);
}
