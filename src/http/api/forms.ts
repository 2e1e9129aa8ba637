/** How a parameter is written: as a JSON value, and as a text in a path. */
interface Form {
  /** For messages. */
  readonly expected: string;
  /** Whether a JSON value has the form. The operation checks its bounds. */
  readonly holds: (value: unknown) => boolean;
  /** The value that a text in a path means. By default the text itself. */
  readonly fromText?: (text: string) => unknown;
}

const text: Form = {
  expected: 'a string that is not empty',
  holds: (value) => typeof value === 'string' && value !== '',
};

const integer: Form = {
  expected: 'an integer',
  holds: Number.isInteger,
  // NaN is outside all bounds.
  fromText: (digits) => (/^\d+$/.test(digits) ? Number(digits) : Number.NaN),
};

const list: Form = {
  expected: 'a list of strings',
  holds: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  fromText: (names) => names.split(','),
};

const many: Form = {
  expected: 'a list of 1 to 1,000 objects',
  holds: (value) => Array.isArray(value) && value.length >= 1 && value.length <= 1000,
};

/** The parameters that are no plain text. */
const forms: ReadonlyMap<string, Form> = new Map([
  ['tags', list],
  ['clear', list],
  ['max_visits', integer],
  ['limit', integer],
  ['links', many],
  ['changes', many],
]);

export function formOf(parameter: string): Form {
  return forms.get(parameter) ?? text;
}
