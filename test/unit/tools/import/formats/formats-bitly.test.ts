import test from 'ava';
import {linesOf} from '../../../../support/tools/lines.ts';

const created = Date.UTC(2023, 7, 3, 11, 42, 37);

/** A link in the form of the API. */
const bitlink = {
  created_at: '2023-08-03T11:42:37+0000',
  id: 'bit.ly/3KuFXqv',
  link: 'https://bit.ly/3KuFXqv',
  custom_bitlinks: ['https://go.example/spring', 'https://bit.ly/3KuFXqv'],
  long_url: 'https://destination.example/page?a=b',
  title: 'A page',
  archived: true,
  created_by: 'someone',
  client_id: 'a5e8cebb233c5d07e5c553e917dffb92fec5264d',
  tags: ['mail', 'spring'],
  deeplinks: [],
  references: {group: 'https://api-ssl.bitly.com/v4/groups/Bn82bpRqty3'},
};

test('an answer of the API is read, with a link for each short URL', async (t) => {
  const file = {
    links: [
      bitlink,
      {created_at: '2023-08-03T11:42:37+0000', id: 'bit.ly/two', long_url: 'https://b.example/', title: null},
      {...bitlink, link: 'https://bit.ly/gone', custom_bitlinks: [], is_deleted: true},
      {long_url: 'https://b.example/'},
    ],
    pagination: {prev: '', next: '', size: 50, page: 1, total: 3},
  };
  const link = {
    line: 1,
    url: 'https://destination.example/page?a=b',
    title: 'A page',
    tags: ['mail', 'spring'],
    created,
  };
  for (const text of [JSON.stringify(file), JSON.stringify(file.links)]) {
    const [one, another, two, gone, none, ...rest] = await linesOf('bitly', text, {size: 50});
    t.deepEqual(one, {...link, shortPart: '3KuFXqv', domain: 'bit.ly'});
    t.deepEqual(another, {...link, shortPart: 'spring', domain: 'go.example'});
    t.deepEqual(two, {line: 2, shortPart: 'two', domain: 'bit.ly', url: 'https://b.example/', created});
    t.like(gone, {shortPart: 'gone', isDisabled: true});
    t.like(none, {line: 4, code: 'not_a_link'});
    t.deepEqual(rest, []);
  }
});

test('its CSV is read with each of the names that its columns have had', async (t) => {
  for (const header of [
    'Link,Custom Link,Destination URL,Title,Tags,Date Created,Total Engagements',
    'Bitlink,Custom Bitlink,Long URL,Title,Tags,Created At,Clicks',
    'link,custom_link,long_url,link_title,tags,created,engagements',
  ]) {
    const file = `${header}
https://bit.ly/one,https://go.example/spring,https://a.example/,One,"mail, spring",2023-08-03 11:42:37,"1,024"
bit.ly/two,,https://b.example/,,,2023-08-03T11:42:37+0000,0
`;
    const link = {line: 2, url: 'https://a.example/', title: 'One', tags: ['mail', 'spring'], created};
    t.deepEqual(
      await linesOf('bitly', file),
      [
        {...link, shortPart: 'one', domain: 'bit.ly', visits: 1024},
        {...link, shortPart: 'spring', domain: 'go.example'},
        {line: 3, shortPart: 'two', domain: 'bit.ly', url: 'https://b.example/', created},
      ],
      header,
    );
  }
  await t.throwsAsync(linesOf('bitly', 'Link,Title\n'), {code: 'malformed_file'});
});
