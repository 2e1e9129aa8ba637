import {htmlEscape} from 'escape-goat';

export {beginning} from '../values/characters.ts';

/** A value in a template: text is escaped, `Html` is not; undefined, null and false add nothing. */
export type Content = Html | string | number | undefined | null | false | readonly Content[];

/** HTML that is safe to send. Make it with `html`. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** A template tag that escapes its values. Safe for text and for attribute values in quotation marks. */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(template.reduce((text, part, index) => text + textOf(values[index - 1]) + part));
}

export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The attributes of an element. `true` makes one without a value; false, null and undefined leave it out. */
export function attributes(values: Attributes): Html {
  const present = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== false,
  );
  return new Html(
    present.map(([name, value]) => (value === true ? name : `${name}="${htmlEscape(String(value))}"`)).join(' '),
  );
}

function textOf(value: Content): string {
  if (value instanceof Html) return value.toString();
  if (value === undefined || value === null || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return htmlEscape(String(value));
  return value.map(textOf).join('');
}
