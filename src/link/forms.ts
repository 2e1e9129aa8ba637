/** How a value is written: as a JSON value, and as a text in a path of the API. */
export interface Form {
  /** For messages. */
  readonly expected: string;
  /** Whether a JSON value has the form. The reader of the value checks its bounds. */
  readonly holds: (value: unknown) => boolean;
  /** The value that a text means. By default the text itself. */
  readonly fromText?: (text: string) => unknown;
}

export const text: Form = {
  expected: 'a string that is not empty',
  holds: (value) => typeof value === 'string' && value !== '',
};

/** A day or a time. The reader of the value parses it. */
export const date: Form = {...text};

export const integer: Form = {
  expected: 'an integer',
  holds: Number.isInteger,
  // NaN is outside all bounds.
  fromText: (digits) => (/^\d+$/.test(digits) ? Number(digits) : Number.NaN),
};

export const list: Form = {
  expected: 'a list of strings',
  holds: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  fromText: (names) => names.split(','),
};

export const boolean: Form = {
  expected: 'true or false',
  holds: (value) => typeof value === 'boolean',
  // The reader refuses any other text.
  fromText: (word) => ({true: true, false: false})[word] ?? word,
};

/** A path has them as JSON. */
export const objects: Form = {
  expected: 'a list of objects',
  holds: (value) => Array.isArray(value),
  fromText: (json) => {
    try {
      return JSON.parse(json) as unknown;
    } catch {
      // The reader refuses a text.
      return json;
    }
  },
};
