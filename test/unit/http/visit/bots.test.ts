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
    for (const agent of ['Twitterbot/1.0', 'curl/8.5.0', 'node']) t.false(isCounted(agent), agent);
    t.true(isCounted(browser));
  }
});

test('a client without User-Agent, or with an empty one, counts', (t) => {
  t.true(isCounted());
  t.true(isCounted(''));
});

test('an overlong agent is judged by its beginning', (t) => {
  t.false(isCounted(`Googlebot/2.1 ${'x'.repeat(16_000)}`));
  t.true(isCounted(`${browser} ${'x'.repeat(16_000)} Googlebot/2.1`));
});
