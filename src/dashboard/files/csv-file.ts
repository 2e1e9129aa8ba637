import type {PageLanguage} from '../../index.ts';
import {decimal} from '../../tables/values.ts';
import {byteOrderMark, type Cell, type Numeral, separatedRow} from '../../values/csv.ts';
import {withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import type {DashboardRequest, FileReply} from '../request.ts';

/** What separates the cells of a file. With semicolons, decimals have a comma. */
const separators = {comma: ',', semicolon: ';'} as const;

export type CsvForm = keyof typeof separators;

/** What spreadsheets expect where the language is spoken, unless that is commas. */
const usual: Readonly<Partial<Record<PageLanguage, CsvForm>>> = {de: 'semicolon', fr: 'semicolon', es: 'semicolon'};

function usualForm(language: PageLanguage): CsvForm {
  return usual[language] ?? 'comma';
}

/** The form that the query asks for, or the usual one of the language. */
export function csvFormOf({query, language}: Pick<DashboardRequest, 'query' | 'language'>): CsvForm {
  const asked = query.get('csv');
  return asked === 'comma' || asked === 'semicolon' ? asked : usualForm(language);
}

/** Links to a file for spreadsheets in the usual form and in the other; undefined without an address. */
export function csvLink({texts, language}: DashboardRequest, address: string | undefined): Html | undefined {
  if (address === undefined) return undefined;
  const {csv, csvForms} = texts.visits;
  const other: CsvForm = usualForm(language) === 'comma' ? 'semicolon' : 'comma';
  const [path = '', query] = address.split('?');
  const otherAddress = withQuery(path, {...Object.fromEntries(new URLSearchParams(query)), csv: other});
  return html`<span class="links-small-link"
    ><a href="${address}" download>${csv}</a>
    <a class="links-quiet" href="${otherAddress}" download aria-label="${csv}: ${csvForms[other]}"
      >${csvForms[other]}</a
    ></span
  >`;
}

/** The lines of a file, as bytes: to send a long text takes as long as to read its numbers. */
export function csvLines(form: CsvForm, rows: ReadonlyArray<readonly Cell[]>): Buffer {
  return Buffer.from(rows.map((row) => separatedRow(row, separators[form])).join(''));
}

export function csvFile(lines: readonly Buffer[], download: string): FileReply {
  const body = Buffer.concat([Buffer.from(byteOrderMark), ...lines]);
  return {type: 'text/csv; charset=utf-8', body, maxAge: 0, download};
}

/** An amount of a currency, which is in a heading or in another cell. */
export function amountCell(form: CsvForm, value: number, currency: string | null): Numeral {
  return numeral(form, decimal(value, currency));
}

/** @param text as programs write it, such as `12.40` */
export function numeral(form: CsvForm, text: string): Numeral {
  return {numeral: form === 'semicolon' ? text.replace('.', ',') : text};
}
