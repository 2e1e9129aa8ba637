import '../../support/quick-scrypt.ts';
import test from 'ava';
import type {PageLanguage} from '../../../src/values/language.ts';
import {BuiltInPages} from '../../../src/http/visit/pages/pages.ts';
import {texts} from '../../../src/http/visit/pages/texts.ts';
import {structureOf} from '../../support/documents.ts';
import {startSite} from '../../support/site.ts';

const builtInPages = new BuiltInPages({}, new Set(), 'UTC');

const preferences: Array<[header: string | undefined, language: PageLanguage]> = [
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['de-CH,de;q=0.9,en;q=0.8', 'de'],
  ['fr-CA', 'fr'],
  ['es-419,es;q=0.9,en;q=0.8', 'es'],
  ['zh', 'zh-Hans'],
  ['zh-CN,zh;q=0.9,en;q=0.8', 'zh-Hans'],
  ['zh-Hans-TW', 'zh-Hans'],
  ['zh-TW,zh;q=0.9,en-US;q=0.8,en;q=0.7', 'zh-Hant'],
  ['zh-HK,zh;q=0.9', 'zh-Hant'],
  ['zh-Hant-HK,zh-Hant;q=0.9', 'zh-Hant'],
  ['zh-hant', 'zh-Hant'],
  ['ZH-HANT-us,zh;q=0.9', 'zh-Hant'],
  ['zh-Hans-US,zh-Hant-US;q=0.9', 'zh-Hans'],
  ['zh-Hant-US;q=0,fr;q=0.1', 'fr'],
  ['zh-Hantx', 'zh-Hans'],
  ['pt-BR,pt;q=0.9,es;q=0.8,en;q=0.7', 'es'],
  ['ja, de;q=0.1', 'de'],
  ['en;q=0.1, fr;q=0.9', 'fr'],
  ['de;q=0', 'en'],
  ['../de, __proto__, constructor', 'en'],
  [';,;q=,"><script>,de', 'de'],
  [`de${',x'.repeat(400)}`, 'de'],
  [`de${',x'.repeat(5000)}`, 'en'],
];
test('a visitor gets a page in the language that the browser prefers, and JSON in English', async (t) => {
  const site = await startSite(t);
  const {short_url} = await site.create();
  await site.api('disable', {short_url});
  for (const [header, language] of preferences) {
    const headers = header === undefined ? {} : {'Accept-Language': header};
    const reply = await site.visit(short_url, {headers});
    t.is(reply.status, 410);
    t.true(reply.text.includes(`<html lang="${language}">`), `${header}: ${reply.text.slice(0, 60)}`);
    t.true(reply.text.includes(`<h1>${texts[language].gone.title}</h1>`));
    t.is(reply.headers.vary, 'Accept, Accept-Language');
  }
  const json = await site.visit(short_url, {headers: {Accept: 'application/json', 'Accept-Language': 'de'}});
  t.is(json.status, 410);
  t.is(json.json().data.message, 'The short URL has expired or is disabled.');
});

test('a page that depends on the language has it in Vary, beside what the host has there', async (t) => {
  const site = await startSite(t, {
    downstream: async (ctx, next) => {
      ctx.vary('Cookie');
      await next();
    },
  });
  const link = await site.create({password: 's3cret'});
  t.is((await site.visit(link.short_url)).headers.vary, 'Cookie, Accept-Language');
});

test('the host can replace the pages, and gets the language, the short URL and the reason', async (t) => {
  const site = await startSite(t, {
    shortUrl: {
      passwordAttempts: 1,
      pages: {
        password: ({language, shortUrl: url, wasWrong}) => `password ${language} ${url} ${wasWrong}`,
        gone: ({language, shortUrl: url}) => `gone ${language} ${url}`,
        unavailable: ({language, reason}) => `unavailable ${language} ${reason}`,
      },
    },
  });
  const headers = {'Accept-Language': 'zh-TW, de;q=0.5'};
  const {short_url} = await site.create({password: 's3cret'});
  t.is((await site.visit(short_url, {headers})).text, `password zh-Hant ${short_url} false`);
  t.is((await site.submit(short_url, 'wrong', {headers})).text, `password zh-Hant ${short_url} true`);
  const waiting = await site.submit(short_url, 's3cret', {headers});
  t.deepEqual([waiting.status, waiting.text], [429, 'unavailable zh-Hant too_many_requests']);
  await site.api('disable', {short_url});
  const gone = await site.visit(short_url, {headers});
  t.deepEqual([gone.status, gone.text], [410, `gone zh-Hant ${short_url}`]);
});

const waits: Record<PageLanguage, [fifteenMinutes: string, oneMinute: string, fiveSeconds: string]> = {
  en: ['again in 15 minutes.', 'again in 1 minute.', 'again in 5 seconds.'],
  'zh-Hans': ['请在15分钟后重新', '请在1分钟后重新', '请在5秒钟后重新'],
  'zh-Hant': ['請在 15 分鐘後重新', '請在 1 分鐘後重新', '請在 5 秒後重新'],
  es: ['contraseña dentro de 15 minutos.', 'contraseña dentro de 1 minuto.', 'contraseña dentro de 5 segundos.'],
  fr: ['mot de passe dans 15 minutes.', 'mot de passe dans 1 minute.', 'mot de passe dans 5 secondes.'],
  de: ['in 15 Minuten erneut', 'in 1 Minute erneut', 'in 5 Sekunden erneut'],
};
const shortUrl = 'https://example.com/spring';
const languages = Object.keys(texts) as PageLanguage[];

test('the waiting time is rounded up to a common unit, in every language', (t) => {
  for (const language of languages) {
    const [fifteenMinutes, oneMinute, fiveSeconds] = waits[language];
    for (const [retryAfter, sentence] of [
      [841, fifteenMinutes],
      [900, fifteenMinutes],
      [60, oneMinute],
      [5, fiveSeconds],
    ] as const) {
      const page = builtInPages.unavailable({language, reason: 'too_many_requests', retryAfter});
      t.true(page.includes(sentence), page);
    }
  }
});

test('a page has the same structure in all languages, is well-formed, and has no text of another one', (t) => {
  const preview = {shortUrl, isActive: true, created: new Date(0), card: null};
  const pages: Record<string, (language: PageLanguage) => string> = {
    password: (language) =>
      builtInPages.password({language, shortUrl, action: '/spring', wasWrong: false, referrer: ''}),
    'password after a wrong one': (language) =>
      builtInPages.password({language, shortUrl, action: '/spring', wasWrong: true, referrer: ''}),
    confirm: (language) =>
      builtInPages.confirm({language, shortUrl, action: '/spring', host: 'a.example', card: null, referrer: ''}),
    gone: (language) => builtInPages.gone({language, shortUrl}),
    preview: (language) => builtInPages.preview({...preview, language, destination: 'https://a.example/'}),
    hidden: (language) => builtInPages.preview({...preview, language, destination: null}),
    'too many tries': (language) => builtInPages.unavailable({language, reason: 'too_many_requests', retryAfter: 900}),
    unavailable: (language) => builtInPages.unavailable({language, reason: 'store_unavailable', retryAfter: 1}),
  };
  for (const [name, make] of Object.entries(pages)) {
    t.is(new Set(languages.map((language) => structureOf(make(language)))).size, 1, name);
    const sentences = languages.flatMap((language) => sentencesOf(make(language)));
    t.deepEqual(sentences, [...new Set(sentences)], name);
  }
});

/** The text between the tags of a body. */
function sentencesOf(page: string): string[] {
  const body = page
    .slice(page.indexOf('<main>'))
    .replace(/<p class="url".*?<\/p>|<strong translate="no">.*?<\/strong>[.。]/, '');
  return Array.from(body.matchAll(/>([^<>]*[^<>\s][^<>]*)</g), ([, sentence = '']) => sentence.trim());
}
