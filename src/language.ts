import type {Context} from 'koa';

/** The languages of the built-in pages, as BCP 47 tags. `zh-Hans` is simplified Chinese, `zh-Hant` traditional. */
export type PageLanguage = 'en' | 'zh-Hans' | 'zh-Hant' | 'es' | 'fr' | 'de';

/** The tags that browsers send. Any other tag means the language that it begins with. */
const languages = {
  en: 'en',
  zh: 'zh-Hans',
  'zh-TW': 'zh-Hant',
  'zh-HK': 'zh-Hant',
  'zh-MO': 'zh-Hant',
  'zh-Hant': 'zh-Hant',
  'zh-Hant-TW': 'zh-Hant',
  'zh-Hant-HK': 'zh-Hant',
  'zh-Hant-MO': 'zh-Hant',
  es: 'es',
  fr: 'fr',
  de: 'de',
} as const satisfies Record<string, PageLanguage>;

const tags = Object.keys(languages) as Array<keyof typeof languages>;

/** In characters, more than any browser sends. Parsing thousands of languages would take too long. */
const maxHeaderLength = 1000;

/** The language of the built-in pages that the browser prefers; English if it accepts none of them. */
export function languageOf(ctx: Context): PageLanguage {
  if (ctx.get('Accept-Language').length > maxHeaderLength) return 'en';
  const tag = ctx.acceptsLanguages(tags) as keyof typeof languages | false;
  return tag === false ? 'en' : languages[tag];
}
