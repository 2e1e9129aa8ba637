/** XML cannot carry control characters, U+FFFE and U+FFFF. UTF-8 cannot carry lone surrogates. */
const illegal = /[\p{Control}\p{Surrogate}\uFFFE\uFFFF]/u;
const allIllegal = new RegExp(illegal.source, 'gu');
const illegalRuns = new RegExp(`${illegal.source}+`, 'gu');

/** Whether a text cannot stand in every answer and page. */
export function hasIllegal(text: string): boolean {
  return illegal.test(text);
}

/** The text without illegal characters. */
export function withoutIllegal(text: string): string {
  return text.replaceAll(allIllegal, '');
}

/** The text in one line: illegal characters, such as line feeds and tabs, become spaces between words. */
export function inOneLine(text: string): string {
  return text.replaceAll(illegalRuns, ' ').trim();
}
