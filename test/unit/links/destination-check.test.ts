import test from 'ava';
import {fieldNames, fields} from '../../../src/link/fields.ts';
import type {CreateLink} from '../../../src/link/link.ts';
import {collect} from '../../support/collect.ts';
import {account, start, url} from '../../support/links-world.ts';

const bad = 'https://bad.example/page';
const own = 'https://example.com/taken';

/** The fields with URLs, of which the last one is given. */
const withUrl: Readonly<Record<string, (last: string) => Partial<CreateLink>>> = {
  url: (last) => ({url: last}),
  expiredUrl: (last) => ({expiredUrl: last}),
  rules: (last) => ({
    rules: [
      {device: 'ios', url},
      {device: 'android', url: last},
    ],
  }),
  previewImage: (last) => ({previewImage: last}),
};

test('every field with URLs has a case below', (t) => {
  t.deepEqual(
    fieldNames.filter((each) => fields[each].urls !== undefined),
    Object.keys(withUrl),
  );
});

for (const [name, given] of Object.entries(withUrl)) {
  test(`a URL in \`${name}\` passes the same checks in every way in`, async (t) => {
    const {links, store} = start({allowUrl: (asked) => !asked.includes('bad.example')});
    await links.create(account, {url, customUrl: 'taken'});
    const {shortUrl} = await links.create(account, {url, customUrl: 'changed'});
    const before = await store.get('l:{example.com:changed}');
    const first = async (all: AsyncIterable<object>): Promise<object> => {
      const [{error} = {error: undefined}] = (await collect(all)) as Array<{error?: Error}>;
      if (error) throw error;
      return {};
    };
    const ways = {
      create: (link: Partial<CreateLink>) => links.create(account, {url, ...link}),
      createMany: (link: Partial<CreateLink>) => first(links.createMany(account, [{url, ...link}])),
      update: (link: Partial<CreateLink>) => links.update(account, shortUrl, link),
      // Only the last of several URLs is refused.
      'update with others': (link: Partial<CreateLink>) => links.update(account, shortUrl, {url, title: 'A', ...link}),
      updateMany: (link: Partial<CreateLink>) => first(links.updateMany(account, [{shortUrl, changes: link}])),
    };
    for (const [way, run] of Object.entries(ways)) {
      for (const refused of [bad, own, 'https://example.com/api/v1/x/shorturl/create'])
        await t.throwsAsync(run(given(refused)), {code: 'forbidden_url'}, `${way}: ${refused}`);
    }
    t.deepEqual(await store.get('l:{example.com:changed}'), before);
    t.is((await collect(links.list(account))).length, 2);
  });
}
