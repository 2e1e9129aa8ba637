/** XML cannot carry control characters, U+FFFE and U+FFFF. UTF-8 cannot carry lone surrogates. */
const illegal = /[\p{Control}\p{Surrogate}\uFFFE\uFFFF]/u;
const allIllegal = new RegExp(illegal.source, 'gu');
const illegalRuns = new RegExp(`${illegal.source}+`, 'gu');

/** Whether a text has characters that some answer or page cannot contain. */
export function hasIllegal(text: string): boolean {
  return illegal.test(text);
}

/** Whether a text has at most so many characters, that is code points, each of one or two UTF-16 units. */
export function isWithin(text: string, characters: number): boolean {
  return text.length <= characters || (text.length <= 2 * characters && Array.from(text).length <= characters);
}

/** The first characters of a text, that is code points. */
export function beginning(text: string, characters: number): string {
  return Array.from(text.slice(0, 2 * characters))
    .slice(0, characters)
    .join('');
}

/** Whether a text is a name or a sentence for people: not empty, in one line, and without white space at the ends. */
export function isLabel(text: string, maxCharacters: number): boolean {
  return text !== '' && isWithin(text, maxCharacters) && !hasIllegal(text) && !/^\s|\s$/u.test(text);
}

export function withoutIllegal(text: string): string {
  return text.replaceAll(allIllegal, '');
}

/** The text in one line: illegal characters, such as line feeds and tabs, become spaces between words. */
export function inOneLine(text: string): string {
  return text.replaceAll(illegalRuns, ' ').trim();
}
