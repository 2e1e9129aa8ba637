import {htmlEscape} from 'escape-goat';

/** What may stand in a piece of HTML: text is escaped, HTML goes in as it stands, and nothing stands for nothing. */
export type Content = Html | string | number | undefined | null | false | readonly Content[];

/** HTML that is safe to send. Only `html` makes it, and `trusted`. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Tag of a template: escapes what is put in, for text and for attributes in quotation marks. */
export function html(template: TemplateStringsArray, ...values: readonly Content[]): Html {
  return new Html(template.reduce((text, part, index) => text + textOf(values[index - 1]) + part));
}

/** Our own HTML, or the host's. Nothing of a request may be in it. */
export function trusted(text: string): Html {
  return new Html(text);
}

/** The attributes of an element: true stands for one without a value; false, null and undefined leave it out. */
export function attributes(values: Readonly<Record<string, string | number | boolean | null | undefined>>): Html {
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
