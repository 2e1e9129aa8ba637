import '../../support/quick-scrypt.ts';
import {isbot} from 'isbot';
import test from 'ava';
import {redirects} from '../../support/answers.ts';
import {startSite} from '../../support/site.ts';

const visitors: Array<[who: string, userAgent: string, isCounted: boolean]> = [
  ['Slack’s preview', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', false],
  ['Facebook’s preview', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', false],
  ['WhatsApp’s preview', 'WhatsApp/2.23.20.0', false],
  ['Discord’s preview', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)', false],
  ['Telegram’s preview', 'TelegramBot (like TwitterBot)', false],
  ['Teams’ preview', 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5', false],
  ['a search engine', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', false],
  [
    'a browser',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    true,
  ],
  [
    'a phone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    true,
  ],
];

for (const [who, userAgent, isCounted] of visitors) {
  test(`with isbot in countVisit ${who} is redirected and ${isCounted ? 'counted' : 'not counted'}`, async (t) => {
    const site = await startSite(t, {shortUrl: {countVisit: (ctx) => !isbot(ctx.get('User-Agent'))}});
    const link = await site.create();
    redirects(t, await site.visit(link.short_url, {headers: {'User-Agent': userAgent}}), link.original_url);
    t.is((await site.info(link.short_url)).total_visits, isCounted ? 1 : 0);
  });
}

for (const isCounted of [true, false]) {
  for (const password of [undefined, 's3cret']) {
    const kind = password === undefined ? 'link' : 'link with a password';
    test(`a ${kind} disabled while countVisit runs is gone, if countVisit returns ${isCounted}`, async (t) => {
      let disable = async (): Promise<unknown> => undefined;
      const site = await startSite(t, {
        shortUrl: {
          async countVisit() {
            await disable();
            return isCounted;
          },
        },
      });
      const {short_url} = await site.create(password === undefined ? {} : {password});
      const open = (): ReturnType<typeof site.visit> =>
        password === undefined ? site.visit(short_url) : site.submit(short_url, password);
      t.is((await open()).status, password === undefined ? 302 : 303);
      await site.api('disable', {short_url});
      await site.api('enable', {short_url});
      disable = () => site.api('disable', {short_url});
      t.is((await open()).status, 410);
      t.is((await site.info(short_url)).total_visits, isCounted ? 1 : 0);
    });
  }
}
