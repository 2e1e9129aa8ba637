import {inOneLine, isWithin} from '../../values/characters.ts';
import type {CreateLink, Link, UpdateLink} from '../../index.ts';
import type {Formats} from '../formats.ts';
import {limits} from '../generated/limits.ts';
import {attributes, type Attributes, html, type Html} from '../html.ts';
import type {DashboardRequest} from '../request.ts';
import type {Texts} from '../texts/en.ts';
import {type Field, maxLength, plainText, urlText} from './field.ts';
import {hasScheme, withScheme} from './long-url.ts';
import {dayOf} from '../visits/span.ts';

/** Between tags in a text. */
const separator = ', ';

type LinkField = keyof CreateLink & keyof UpdateLink & keyof Link;

/** An input of the forms that create and change a link. Its texts are text that the user sees and changes. */
interface Input {
  readonly field: LinkField;
  readonly label: (texts: Texts) => string;
  readonly hint?: (texts: Texts, timeZone: string) => string;
  /** The closed part of the form that the input is in. By default it is beside the others. */
  readonly part?: 'card';
  /** The message for a text that is not right. */
  readonly mistake: (texts: Texts) => string;
  /** The element for a text. By default an `<input>` with the text as its value. */
  readonly element?: (text: string, request: DashboardRequest) => Pick<Field, 'attributes' | 'beside' | 'options'>;
  readonly attributes?: Attributes;
  /** The text for a link; empty if the link has no such value. By default the value itself. */
  readonly show?: (link: Link, formats: Formats) => string;
  /** Puts in order what the user has entered. By default without spaces around it. */
  readonly clean?: (text: string) => string;
  /** Whether a text that is not empty may be sent to the shortener, which checks it too. */
  readonly isRight: (text: string) => boolean;
  /** The value of a text that is not empty, for the shortener. By default the text. */
  readonly read?: (text: string) => CreateLink[LinkField];
}

/** What inputs of a text in one line have in common. */
const oneLine = (max: number, own: Attributes = {type: 'text', autocomplete: 'off'}) => ({
  attributes: {...own, maxlength: maxLength(max)},
  clean: inOneLine,
  isRight: (text: string) => isWithin(text, max),
  mistake: ({errors}: Texts) => errors.characters(max),
});

/** What inputs of a yes or no have in common that the site decides by default. */
const yesOrNo = {
  element: (text: string, {texts: {fields}}: DashboardRequest) => ({
    // Only a new link can leave the choice to the site.
    options: [
      ...(text === '' ? [['', fields.siteDefault] as const] : []),
      ['yes', fields.yes] as const,
      ['no', fields.no] as const,
    ],
    attributes: {value: text},
  }),
  isRight: (text: string): boolean => text === 'yes' || text === 'no',
  read: (text: string) => text === 'yes',
};

/** The inputs that both forms have, by the names of the API's parameters. */
export const inputs = {
  title: {
    field: 'title',
    label: ({fields}) => fields.title,
    hint: ({fields}) => fields.titleHint,
    ...oneLine(limits.title),
  },
  tags: {
    field: 'tags',
    label: ({fields}) => fields.tags,
    hint: ({fields}) => fields.tagsHint,
    mistake: ({errors}) => errors.tags,
    attributes: {
      ...plainText,
      maxlength: maxLength(limits.tags * (limits.tag + separator.length)),
      list: 'links-known-tags',
    },
    show: ({tags}) => tags.join(separator),
    clean: inOneLine,
    isRight: (text) => tagsIn(text).length <= limits.tags && tagsIn(text).every((tag) => isWithin(tag, limits.tag)),
    read: (text) => (tagsIn(text).length === 0 ? undefined : tagsIn(text)),
  },
  reference: {
    field: 'reference',
    label: ({fields}) => fields.reference,
    hint: ({fields}) => fields.referenceHint,
    ...oneLine(limits.reference, plainText),
  },
  start_date: {
    field: 'startDate',
    label: ({fields}) => fields.startDate,
    hint: ({fields}, timeZone) => fields.startDateHint(timeZone),
    mistake: ({errors}) => errors.start_date,
    element: (text, {texts}) => momentElement('start_time', text, texts.fields.startTime),
    show: ({startDate}, formats) => momentText(startDate, '00:00:00', formats),
    isRight: isMoment,
  },
  expiry_date: {
    field: 'expiryDate',
    label: ({fields}) => fields.expiryDate,
    hint: ({fields}, timeZone) => fields.expiryDateHint(timeZone),
    mistake: ({errors}) => errors.codes.invalid_expiry_date,
    // An expiry date in the past may stay while other fields are changed.
    element: (text, {texts, today}) =>
      momentElement('expiry_time', text, texts.fields.expiryTime, text !== '' && text < today ? undefined : today),
    show: ({expiryDate}, formats) => momentText(expiryDate, '23:59:59', formats),
    isRight: isMoment,
  },
  max_visits: {
    field: 'maxVisits',
    label: ({fields}) => fields.limit,
    hint: ({fields}) => fields.limitHint,
    mistake: ({errors}) => errors.max_visits,
    attributes: {type: 'number', min: 1, max: limits.max_visits, inputmode: 'numeric'},
    isRight: (text) => /^\d{1,15}$/.test(text) && Number(text) >= 1 && Number(text) <= limits.max_visits,
    read: Number,
  },
  expired_url: {
    field: 'expiredUrl',
    label: ({fields}) => fields.expiredUrl,
    hint: ({fields}) => fields.expiredUrlHint,
    mistake: ({errors}) => errors.codes.invalid_url,
    attributes: {...urlText, placeholder: 'https://'},
    clean: withScheme,
    isRight: hasScheme,
  },
  confirm: {
    field: 'confirm',
    label: ({fields}) => fields.confirm,
    hint: ({fields}) => fields.confirmHint,
    mistake: ({fields}) => fields.confirm,
    ...yesOrNo,
    show: ({confirm}) => (confirm ? 'yes' : 'no'),
  },
  forward_query: {
    field: 'forwardQuery',
    label: ({fields}) => fields.query,
    hint: ({fields}) => fields.queryHint,
    mistake: ({fields}) => fields.query,
    ...yesOrNo,
    show: ({forwardQuery}) => (forwardQuery ? 'yes' : 'no'),
  },
  preview_title: {
    field: 'previewTitle',
    part: 'card',
    label: ({card}) => card.name,
    ...oneLine(limits.preview_title),
  },
  preview_description: {
    field: 'previewDescription',
    part: 'card',
    label: ({card}) => card.text,
    ...oneLine(limits.preview_description),
  },
  preview_image: {
    field: 'previewImage',
    part: 'card',
    label: ({card}) => card.image,
    mistake: ({errors}) => errors.card_image,
    attributes: {...urlText, placeholder: 'https://'},
    clean: withScheme,
    isRight: (text) => /^https:\/\/[^\s/?#]/i.test(text),
  },
} as const satisfies Readonly<Record<string, Input>>;

export type InputName = keyof typeof inputs;

export const inputNames = Object.keys(inputs) as readonly InputName[];

export function inputOf(name: InputName): Input {
  return inputs[name];
}

/** What is wrong with a text, beside the name of its input. */
export function mistakeOf(name: InputName, texts: Texts): string {
  const {label, mistake} = inputOf(name);
  return `${label(texts)}: ${mistake(texts)}`;
}

export function shownIn(name: InputName, link: Link, formats: Formats): string {
  const {field, show} = inputOf(name);
  return show?.(link, formats) ?? String((link[field] as string | number | null) ?? '');
}

/** The tags in a text with commas, each once. */
export function tagsIn(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** A moment is a day, or a day and a time with a space between them, in the time zone of the site. */
function isMoment(text: string): boolean {
  const [date = '', time = '00:00', rest] = text.split(' ');
  return rest === undefined && !Number.isNaN(dayOf(date)) && /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?$/.test(time);
}

/** Only a moment within a day has a time, and only one within a minute has seconds. */
function momentText(moment: string | null, wholeDay: string, formats: Formats): string {
  if (moment === null) return '';
  const {date, time} = formats.local(moment);
  return time === wholeDay ? date : `${date} ${time.replace(/:00$/, '')}`;
}

/** Whether a link that starts and ends at these moments ever works. */
export function isInOrder(start: string, end: string): boolean {
  return start === '' || end === '' || start <= (end.includes(' ') ? end : `${end} 24:00`);
}

/** An input for the day, and one beside it for the time. With the step of a second it can show any. */
function momentElement(name: string, text: string, label: string, min?: string): Pick<Field, 'attributes' | 'beside'> {
  const [date, ...rest] = text.split(' ');
  const time = rest.join(' ');
  const step = time.length > 5 ? 1 : undefined;
  const beside: Html = html`<input
    ${attributes({type: 'time', id: `links-${name}`, name, value: time, step, 'aria-label': label})}
  />`;
  return {attributes: {type: 'date', min, value: date}, beside};
}
