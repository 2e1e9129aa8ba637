import test from 'ava';
import {isNoBot} from '../../../../src/http/visit/bots.ts';

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

test('programs of Office do not count, and browsers inside apps do', (t) => {
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
  ]) {
    t.false(isCounted(agent), agent);
  }
  for (const agent of [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Instagram 300.0.0',
    'Mozilla/5.0 (Linux; Android 13) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/440.0]',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 MicroMessenger/8.0.43',
  ]) {
    t.true(isCounted(agent), agent);
  }
});

test('an overlong agent is judged by its beginning', (t) => {
  t.false(isCounted(`Googlebot/2.1 ${'x'.repeat(16_000)}`));
  t.true(isCounted(`${browser} ${'x'.repeat(16_000)} Googlebot/2.1`));
});
