/** What files and spreadsheets write for yes, no and nothing. */

/** Of the six languages of the dashboard and of their neighbours, as spreadsheets, databases and programs write them. */
const yes = words(
  '1 true yes y t on x wahr ja vrai oui verdadero si sí vero sì verdadeiro sim waar 是 真 有 开 開 ✓ ✔ \u0001',
);
const no = words('0 false no n f off falsch nein faux non falso não nao onwaar 否 假 无 無 关 關 ✗ ✘ \0');
/** The nulls of databases and spreadsheets, which are no text that somebody has written. */
const nulls = words('null \\n [null] <null> (null) #n/a #nv #n/d #null! #ref! #value! #wert! #valeur! #valor!');
/** As a person or a program may write it, too. */
const none = words('none nil nan n/a na <na> (none) - – — undefined');

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' ').filter(Boolean).map(folded));
}

function folded(text: string): string {
  return text.trim().normalize('NFC').toLowerCase();
}

/** Whether a cell says that there is nothing: the null of a database or a program, or a dash. */
export function isNone(text: string): boolean {
  const word = folded(text);
  return word === '' || none.has(word) || nulls.has(word);
}

/** Whether a text is the null of a database or a spreadsheet. */
export function isNull(text: string): boolean {
  return nulls.has(folded(text));
}

/** Reads a yes or a no; undefined for a cell without either. A text that is neither is returned as `unknown`. */
export function readYesOrNo(value: unknown): boolean | 'unknown' | undefined {
  if (typeof value === 'boolean') return value;
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') return 'unknown';
  const text = folded(String(value));
  if (isNone(text)) return undefined;
  if (yes.has(text)) return true;
  return no.has(text) ? false : 'unknown';
}

/** A name without what is written differently from file to file: case, accents, spaces and signs. */
export function plain(name: string): string {
  return name
    .slice(0, maxName)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** In characters. No name of a column is longer. */
const maxName = 200;
