import type {Context} from 'koa';

/** The languages of the built-in pages, as BCP 47 names them: Chinese in its simplified and its traditional script. */
export type PageLanguage = 'en' | 'zh-Hans' | 'zh-Hant' | 'es' | 'fr' | 'de';

/** What browsers call them. Any other tag stands for the language that it begins with. */
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

/** In characters, more than any browser sends: to weigh thousands of languages takes longer than all the rest. */
const longestHeader = 1000;

/** The language of a page that a browser would like best; English where it likes none of them. */
export function languageOf(ctx: Context): PageLanguage {
  if (ctx.get('Accept-Language').length > longestHeader) return 'en';
  const tag = ctx.acceptsLanguages(tags) as keyof typeof languages | false;
  return tag === false ? 'en' : languages[tag];
}
