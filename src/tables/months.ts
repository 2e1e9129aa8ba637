import {plain} from './words.ts';

/** Languages whose names of months and weekdays are read. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'];

/** Words in dates besides the names of months and weekdays. */
const fillers: ReadonlySet<string> = new Set('de del le den der the of st nd rd th er 年 月 日 号 號'.split(' '));

interface Names {
  /** The months, from 1, by their names and the beginnings of these; undefined for a beginning of several. */
  readonly months: ReadonlyMap<string, number | undefined>;
  readonly weekdays: ReadonlyMap<string, number | undefined>;
}

let known: Names | undefined;

function names(): Names {
  known ??= {
    months: beginnings({month: 'long'}, 12, 3, (index) => Date.UTC(2027, index, 1)).set('mrz', 3),
    // The 4th of January 2027 is a Monday.
    weekdays: beginnings({weekday: 'long'}, 7, 2, (index) => Date.UTC(2027, 0, 4 + index)),
  };
  return known;
}

function beginnings(
  options: Intl.DateTimeFormatOptions,
  count: number,
  shortest: number,
  at: (index: number) => number,
): Map<string, number | undefined> {
  const found = new Map<string, number | undefined>();
  for (const language of languages) {
    const format = new Intl.DateTimeFormat(language, {...options, timeZone: 'UTC'});
    for (let index = 0; index < count; index += 1) {
      const name = plain(format.format(at(index)));
      for (let length = shortest; length <= name.length; length += 1) {
        const beginning = name.slice(0, length);
        found.set(beginning, !found.has(beginning) || found.get(beginning) === index + 1 ? index + 1 : undefined);
      }
    }
  }
  return found;
}

/** The month that a word of a date names, from 1. */
export function monthOf(word: string): number | undefined {
  return names().months.get(plain(word));
}

/** Whether a word of a date, such as the name of a weekday, adds nothing to it. */
export function isFiller(word: string): boolean {
  const text = plain(word);
  return fillers.has(text) || names().weekdays.has(text);
}
