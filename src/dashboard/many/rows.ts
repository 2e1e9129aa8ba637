import type {Link} from '../../index.ts';
import type {TableLine} from '../../tables/read-table.ts';
import type {Field} from '../../tables/columns.ts';
import {isUnreadable, type ReadLink, type UnreadableLine} from '../../tables/source-link.ts';
import {formatDateTime} from '../../values/calendar.ts';
import {campaignNames} from '../forms/campaign.ts';
import {inputNames, inputOf, shownIn} from '../forms/inputs.ts';
import type {Entered} from '../forms/link-fields.ts';
import {withScheme} from '../forms/long-url.ts';
import type {Formats} from '../formats.ts';
import {beginning} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import {choosable} from './columns.ts';
import type {Sheet} from './sheet.ts';

/** What a row says of a link. */
export interface LinkRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** What the user would have entered into the form of a link; only the long URL for a row that cannot be read. */
  readonly entered: Entered;
  /** A short URL; empty without one. */
  readonly shortUrl: string;
  /** What the link is to be; undefined if the row does not say. */
  readonly status: 'active' | 'disabled' | undefined;
  /** Whether the row says that the link does not work, or has a password that the row does not have. */
  readonly isClosed: boolean;
  /** Why the row cannot be read. */
  readonly mistake: string | undefined;
}

export function linkRow(request: DashboardRequest, sheet: Sheet, {line, cells, links}: TableLine): LinkRow {
  const {choices} = sheet;
  const shortUrl = withScheme(cells[choices.indexOf('shortUrl')] ?? '');
  const [link] = links;
  const entered = {url: cells[choices.indexOf('url')] ?? ''};
  const row = {line, cells, shortUrl, entered, status: undefined, isClosed: false};
  if (link === undefined || isUnreadable(link)) return {...row, mistake: link && mistakeOf(request, sheet, link)};
  const {isDisabled = false, isExpired = false, isLocked = false} = link;
  const saysStatus = choices.some(
    (choice, place) => ['status', 'disabled', 'enabled'].includes(choice) && (cells[place] ?? '').trim() !== '',
  );
  return {
    ...row,
    entered: enteredOf(link, request.formats),
    status: !saysStatus || isExpired ? undefined : isDisabled ? 'disabled' : 'active',
    isClosed: isDisabled || isExpired || isLocked,
    mistake: undefined,
  };
}

/** The texts of the form for a link. */
function enteredOf({fields, url = '', shortPart, domain, password, end}: ReadLink, formats: Formats): Entered {
  const dates = {
    startDate: fields.startDate instanceof Date ? formatDateTime(fields.startDate.getTime()) : null,
    // The last second on which it works.
    expiryDate: end === undefined ? null : formatDateTime(end - 1000),
  };
  const link = {...fields, ...dates, tags: fields.tags ?? []} as Link;
  const present = inputNames.filter((name) => {
    const {field} = inputOf(name);
    return field === 'expiryDate' ? end !== undefined : fields[field] !== undefined;
  });
  const {utm = {}} = fields as {utm?: Readonly<Record<string, string>>};
  const campaign = campaignNames.flatMap((name) => {
    const text = utm[name.replace('utm_', '')];
    return text === undefined ? [] : [[name, text] as const];
  });
  const texts = present.map((name) => {
    const {clean = (text: string) => text.trim()} = inputOf(name);
    return [name, clean(shownIn(name, link, formats))] as const;
  });
  return {
    ...Object.fromEntries([...texts, ...campaign]),
    url: withScheme(url),
    ...(shortPart !== undefined && {custom_url: shortPart}),
    ...(domain !== undefined && {base_domain: domain.toLowerCase()}),
    ...(password !== undefined && {password}),
  };
}

/** Why a row cannot be read, and in which column. */
function mistakeOf({texts}: DashboardRequest, {headings}: Sheet, {code, column}: UnreadableLine): string {
  const {mistakes} = texts.many;
  const text = {
    not_a_link: mistakes.short,
    other_short_url: mistakes.ending,
    unknown_short_url: mistakes.short,
    not_utf8: mistakes.letters,
    unreadable_row: mistakes.cells,
    unreadable_date: mistakes.date,
    ambiguous_date: mistakes.date,
    unreadable_number: texts.errors.max_visits,
    unreadable_status: mistakes.flag,
  }[code];
  const heading = column === undefined ? '' : (headings[column] ?? '');
  return heading === '' ? text : `${beginning(heading, 60)}: ${text}`;
}

/**
 * The rows as a text that is read as it was chosen, to correct and send again. Unused columns are left out. Dates are
 * written without doubt, because the other rows of their table may have said which number is the month.
 */
export function textOfRows(request: DashboardRequest, rows: readonly LinkRow[], {choices}: Sheet): string {
  const labels = choosable(request);
  const places = choices.flatMap((choice, place) => (choice === '' || choice === 'undecided' ? [] : [place]));
  const names = places.map((place) => labels.get(choices[place] as Field) ?? '');
  const textAt = ({cells, entered}: LinkRow, place: number): string => {
    const text = cells[place] ?? '';
    const choice = choices[place];
    const date = choice === 'end' ? entered.expiry_date : choice === 'startDate' ? entered.start_date : undefined;
    return text.trim() === '' ? text : (date ?? text);
  };
  const lines = rows.map((row) => places.map((place) => cellOf(textAt(row, place))).join('\t'));
  return rows.length === 0 ? '' : [names.join('\t'), ...lines].join('\n');
}

/** Only a quotation mark at the beginning, or a separator, needs quotation marks. */
function cellOf(text: string): string {
  return /^"|[\t\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
