/** The languages of the built-in pages, as BCP 47 tags. `zh-Hans` is simplified Chinese, `zh-Hant` traditional. */
export type PageLanguage = 'en' | 'zh-Hans' | 'zh-Hant' | 'es' | 'fr' | 'de';

/** What people call conversions: one text, or a form for one and another for several. */
export type ConversionText = string | {readonly one: string; readonly other: string};

/** The tags that browsers send. Any other tag means the language that it begins with. */
const languages = {
  en: 'en',
  zh: 'zh-Hans',
  'zh-TW': 'zh-Hant',
  'zh-HK': 'zh-Hant',
  'zh-MO': 'zh-Hant',
  'zh-Hant': 'zh-Hant',
  es: 'es',
  fr: 'fr',
  de: 'de',
} as const satisfies Record<string, PageLanguage>;

const tags = Object.keys(languages);

export const pageLanguages: readonly string[] = Array.from(new Set(Object.values(languages)));

/** A tag of traditional Chinese with a region. The script counts, so the region can be any. */
const traditional = /\bzh-Hant-[\w-]+/gi;

/** In characters, more than any browser sends. The time to read a list of preferences grows with its square. */
export const maxPreferences = 1000;

interface Accepting {
  get(header: string): string;
  acceptsLanguages(): string | string[];
  acceptsLanguages(tags: string[]): string | false;
}

/** The tag of the language that the visitor prefers; undefined if the request does not say. */
export function preferredLanguage(ctx: Accepting): string | undefined {
  if (ctx.get('Accept-Language').length > maxPreferences) return undefined;
  // Without the header Koa returns `*`.
  const [first] = [ctx.acceptsLanguages()].flat();
  return first === undefined || first === '*' ? undefined : first;
}

/** The language of the built-in pages that the browser prefers; English if it accepts none of them. */
export function languageOf(ctx: Accepting): PageLanguage {
  const header = ctx.get('Accept-Language');
  if (header.length > maxPreferences) return 'en';
  const tag = ctx.acceptsLanguages([...tags, ...(header.match(traditional) ?? [])]);
  if (tag === false) return 'en';
  return (languages as Readonly<Record<string, PageLanguage | undefined>>)[tag] ?? 'zh-Hant';
}
