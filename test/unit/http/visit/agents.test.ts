import test from 'ava';
import {isNoBot, isPreview} from '../../../../src/http/visit/agents.ts';

const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

function isCounted(agent?: string): boolean {
  const headers = agent === undefined ? {} : {'user-agent': agent};
  return isNoBot({req: {headers}});
}

test('bots and programs do not count, and browsers do, the first time and again', (t) => {
  for (let turn = 0; turn < 2; turn++) {
    for (const agent of ['Twitterbot/1.0', 'curl/8.5.0', 'node', '', undefined]) t.false(isCounted(agent), agent);
    t.true(isCounted(browser));
  }
});

test('programs of Office and apps do not count, and browsers inside apps do', (t) => {
  for (const agent of [
    'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)',
    'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; WOW64; Trident/7.0; ms-office)',
    'Microsoft Office Existence Discovery',
    'Microsoft Office Word 2014',
    'Word/16.89.1 (Macintosh; Mac OS X 14.5)',
    'Excel/16.89',
    'PowerPoint/16.89',
    'Microsoft-WebDAV-MiniRedir/10.0.19045',
    'ShopApp/3.1 CFNetwork/1494.0.7 Darwin/23.4.0',
    'CFNetwork/1494.0.7 Darwin/23.4.0',
    'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 6 Build/TQ3A.230805.001)',
    'com.apple.WebKit.Networking/8618.1.15.10.15 CFNetwork/1494.0.7 Darwin/23.4.0',
    'com.apple.WebKit.Networking/19618.1.15.11.12 Safari/19618.1 CFNetwork/1494.0.7 Darwin/23.4.0',
  ]) {
    t.false(isCounted(agent), agent);
  }
  for (const agent of [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Instagram 300.0.0',
    'Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/440.0]',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 MicroMessenger/8.0.43',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 MicrosoftOutlook/4.24',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Teams/1.5 Chrome/85.0 Electron/10.4 Safari/537.36',
    'Mozilla/5.0 (Linux; U; Android 9; SM) AppleWebKit/537.36 Chrome/100.0 Mobile Safari/537.36 Dalvik/2.1.0',
    'MobileSafari/8617.1 CFNetwork/1494.0.7 Darwin/23.4.0',
  ]) {
    t.true(isCounted(agent), agent);
  }
});

test('an overlong agent is judged by its beginning', (t) => {
  t.false(isCounted(`Googlebot/2.1 ${'x'.repeat(16_000)}`));
  t.true(isCounted(`${browser} ${'x'.repeat(16_000)} Googlebot/2.1`));
});

/** Agents of programs that show a link to people. */
const previews = [
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'facebookexternalhit/1.1;line-poker/1.0',
  'facebookexternalhit/1.1; kakaotalk-scrap/1.0; +https://devtalk.kakao.com/t/scrap/33984',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)',
  'Discourse Forum Onebox v3.3.0.beta1-dev',
  'Pleroma 2.6.0; https://pleroma.example <admin@pleroma.example>',
  'Akkoma 3.10.4; https://akkoma.example <admin@akkoma.example>; Bot',
  'Misskey/13.14.2 (https://misskey.example)',
  'SummalyBot/5.1.0',
  'Lemmy/0.19.8; +https://lemmy.example',
  "Friendica 'The Tazmans Flax-lily' 2019.01-1293; https://friendica.example",
  'Valve/Steam HTTP Client 1.0 (SteamChatURLLookup)',
  'Mozilla/5.0 (compatible; Lark-Url-Preview/1.0)',
  'DingTalkBot-LinkService/1.0 (+https://open-doc.dingtalk.com/microapp/faquestions/ftpfeu)',
  'WireLinkPreview/1.0',
  'Quora Link Preview/1.0 (http://www.quora.com)',
  'Quora-Bot/1.0 (http://www.quora.com)',
  'GroupMeBot/1.0',
  'Mozilla/5.0 (compatible; OdklBot/1.0 like Linux; klass@odnoklassniki.ru)',
  'Notion/1.0 (https://notion.so; team@makenotion.com)',
  'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:15.0) Xing Bot',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/56.0 Safari/537.36 Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/)',
  'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/123.0.0.0 Safari/537.36 googlemessages/15.1',
  'BufferLinkPreviewBot/1.0 (+https://scraper.buffer.com/about/bots/link-preview-bot)',
  'ChatProgramThatNobodyKnowsYet/1.0 (bot; +https://chat.example/search)',
];

/** Agents of search engines and tools. */
const machines = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
  'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
  'DuckDuckBot/1.0; (+http://duckduckgo.com/duckduckbot.html)',
  'Mozilla/5.0 (compatible; SeznamBot/3.2; +http://napoveda.seznam.cz/en/seznambot-intro/)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'Mozilla/5.0 (compatible; archive.org_bot +http://www.archive.org/details/archive.org_bot)',
  'Mozilla/5.0 (compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0 Safari/537.36',
  'W3C-checklink/4.81 libwww-perl/6.05',
  'curl/8.5.0',
  'Wget/1.21.4',
  'python-requests/2.32.3',
  'Go-http-client/2.0',
  'Apache-HttpClient/4.5.14 (Java/17.0.9)',
  'http.rb/5.1.1',
  'axios/1.7.2',
  'node',
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)',
];

test('every bot that is no search engine and no tool makes previews, and people do not', (t) => {
  const isFromPreview = (agent: string): boolean => isPreview({req: {headers: {'user-agent': agent}}});
  for (const agent of previews) t.true(isFromPreview(agent), agent);
  for (const agent of [...machines, browser, '']) t.false(isFromPreview(agent), agent);
  t.false(isPreview({req: {headers: {}}}));
  for (const agent of [...previews, ...machines]) t.false(isCounted(agent), agent);
});
