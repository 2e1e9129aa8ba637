import {inBrowser, sharedChromium} from '../../support/chromium.ts';
import {open} from '../../support/dashboard.ts';
import {range} from '../../support/engines/crowd.ts';
import {openAsPerson, viaOf} from '../../support/visitor.ts';

const openPage = sharedChromium();

inBrowser(
  'on a phone a test of two pages is read without scrolling sideways, first as too early to tell',
  async (t) => {
    const {shortener, home} = await open(t, {
      shortUrl: {attribution: {currency: 'EUR'}},
      dashboard: {account: () => 'ann'},
    });
    const rules = [
      {share: 50, name: 'Donaudampfschifffahrtsgesellscha', url: `https://blue.example/${'long'.repeat(30)}`},
    ];
    const {shortUrl} = await shortener.links.create('ann', {url: 'https://example.org/', rules});
    const visit = async (first: number): Promise<void> => {
      for (const id of range(20).map((index) => first + index)) {
        const agent = `Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.${id}`;
        const reply = await openAsPerson(shortUrl, {'User-Agent': agent});
        const isBlue = reply.headers.get('location') === rules[0]?.url;
        const via = viaOf(reply.headers.getSetCookie());
        if (isBlue === id >= 20)
          await shortener.conversions.record({via}, {name: 'order', id, value: isBlue ? 123_456_700 : 1});
      }
    };
    await visit(0);
    const page = await openPage(t, {viewport: {width: 390, height: 800}});
    const address = `${home}link?short_url=${encodeURIComponent(shortUrl)}`;
    await page.goto(address);
    await page.getByText('wins:').waitFor();
    await visit(20);
    await page.goto(address);
    await page.getByText('Too early to tell').waitFor();
    for (const locale of ['en', 'de', 'fr', 'zh-CN']) {
      const other = await openPage(t, {locale, viewport: {width: 390, height: 800}});
      await other.goto(address);
      const sideways = await other.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      t.is(sideways, 0, locale);
      await other.close();
    }
  },
);
