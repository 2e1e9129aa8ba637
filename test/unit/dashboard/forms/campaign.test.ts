import test from 'ava';
import {campaignIn, withCampaign} from '../../../../src/dashboard/forms/campaign.ts';

test('a parameter of a campaign is set, replaced or taken out, and every other character of the URL stays', (t) => {
  for (const [url, campaign, expected] of [
    ['https://a.example', {utm_source: 'x'}, 'https://a.example?utm_source=x'],
    ['https://a.example/?', {utm_source: 'x'}, 'https://a.example/?utm_source=x'],
    ['https://a.example/?b=%20+&c#d?e', {utm_source: 'x y&z'}, 'https://a.example/?b=%20+&c&utm_source=x%20y%26z#d?e'],
    ['https://a.example/?utm_source=1&b&utm_source=2', {utm_source: '3'}, 'https://a.example/?b&utm_source=3'],
    ['https://a.example/?utm_source=1#d', {utm_source: ''}, 'https://a.example/#d'],
    ['https://a.example/?utm_source=1&utm_medium=2', {utm_medium: ''}, 'https://a.example/?utm_source=1'],
    ['https://a.example/?a=1&&b', {}, 'https://a.example/?a=1&&b'],
    ['https://a.example/?UTM_source=1', {utm_source: 'x'}, 'https://a.example/?UTM_source=1&utm_source=x'],
  ] as const) {
    t.is(withCampaign(url, campaign), expected);
  }
});

test('the campaign of a URL is read from its query alone', (t) => {
  t.like(campaignIn('https://a.example/?utm_source=a+b&utm_term=%E2%82%AC#utm_medium=x'), {
    utm_source: 'a b',
    utm_medium: '',
    utm_term: '€',
  });
});
