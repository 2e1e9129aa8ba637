import test from 'ava';
import {judgeAnswer} from '../../support/judge.ts';
import {Reply} from '../../support/request.ts';

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};
const page = {
  ...headers,
  'content-security-policy': "default-src 'none'; form-action 'self'",
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'DENY',
  vary: 'Accept-Language',
};

interface Given {
  readonly method?: string;
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const json = {...headers, 'content-type': 'application/json; charset=utf-8'};
const xml = {...headers, 'content-type': 'application/xml; charset=utf-8'};
const time = '2031-05-06 12:00:00';
const api = '/api/v1/key/shorturl/';

const inJson: Given = {
  path: `${api}disable/short_url/aHR0cHM6Ly9leGFtcGxlLmNvbS9h.json`,
  status: 200,
  headers: json,
  text: `{"code":200,"data":{"url_id":1,"status":"disabled","short_url":"https://example.com/a","date_time":"${time}"}}`,
};
const inXml: Given = {
  path: `${api}info/short_url/aHR0cHM6Ly9leGFtcGxlLmNvbS9h.xml`,
  status: 200,
  headers: xml,
  text:
    '<?xml version="1.0" encoding="UTF-8"?><response><code>200</code><data><url_id>1</url_id>' +
    '<short_url>https://example.com/a</short_url><short_url_part>a</short_url_part>' +
    `<original_url>https://destination.example/</original_url><date_created>${time}</date_created>` +
    '<last_accessed></last_accessed><total_visits>0</total_visits><has_password>false</has_password>' +
    `<expiry_date></expiry_date><status>active</status><date_time>${time}</date_time></data></response>`,
};
const list: Given = {
  path: `${api}list_active_urls/limit/1.xml`,
  status: 200,
  headers: xml,
  text:
    '<?xml version="1.0" encoding="UTF-8"?><response><code>200</code><data><urls>' +
    `<url><short_url>https://example.com/a</short_url></url></urls><date_time>${time}</date_time></data></response>`,
};
const visits: Given = {
  path: `${api}stats/short_url/aHR0cHM6Ly9leGFtcGxlLmNvbS9h.xml`,
  status: 200,
  headers: xml,
  text: inXml.text
    .replace('<last_accessed></last_accessed>', `<last_accessed>${time}</last_accessed>`)
    .replace('<total_visits>0', '<total_visits>2')
    .replace(
      '</status>',
      '</status><title></title><tags><tag>mail</tag></tags><max_visits></max_visits><start_date></start_date><expired_url></expired_url><forward_query>false</forward_query>' +
        '<rules><rule><device>ios</device><url>https://phone.example/</url></rule></rules>' +
        '<days><day><date>2031-05-06</date><visits>2</visits></day></days>' +
        '<details><detail><name>referrer</name><value>direct</value><visits>2</visits></detail></details>',
    ),
};
const found: Given = {
  path: `${api}list_urls/limit/1`,
  status: 200,
  headers: json,
  text:
    '{"code":200,"data":{"urls":[{"url_id":1,"short_url":"https://example.com/a","short_url_part":"a",' +
    `"original_url":"https://destination.example/","date_created":"${time}","last_accessed":null,"total_visits":0,` +
    '"has_password":false,"expiry_date":null,"status":"active","title":"Spring","tags":["mail"],"max_visits":null,' +
    '"start_date":null,"expired_url":null,"forward_query":false,"rules":[{"device":"ios","url":"https://a.example/"}]}],' +
    `"next_cursor":"YmVmb3JlIDE","date_time":"${time}"}}`,
};
const refusal: Given = {
  path: `${api}create/url/aHR0cHM6Ly9leGFtcGxlLmNvbS9h`,
  status: 429,
  headers: {...json, 'retry-after': '60'},
  text: `{"code":429,"data":{"error":"too_many_requests","message":"Wait.","date_time":"${time}"}}`,
};
const method: Given = {
  method: 'POST',
  path: `${api}info.xml`,
  status: 405,
  headers: {...xml, allow: 'GET'},
  text:
    '<?xml version="1.0" encoding="UTF-8"?><response><code>405</code><data><error>method_not_allowed</error>' +
    `<message>Every operation is a GET.</message><date_time>${time}</date_time></data></response>`,
};
const redirect: Given = {
  path: '/a',
  status: 302,
  headers: {location: 'https://destination.example/', 'cache-control': 'private, no-store'},
  text: '',
};
const form: Given = {path: '/a', status: 200, headers: page, text: '<!DOCTYPE html>'};

const replace =
  (one: string, other: string) =>
  (given: Given): Given => ({...given, text: given.text.replace(one, other)});
const status =
  (code: number) =>
  (given: Given): Given => ({...given, status: code});
const header =
  (name: string, value?: string) =>
  (given: Given): Given => {
    const others = Object.entries(given.headers).filter(([each]) => each !== name);
    return {...given, headers: Object.fromEntries(value === undefined ? others : [...others, [name, value]])};
  };
const path =
  (other: string) =>
  (given: Given): Given => ({...given, path: other});

/** Answers that match the description, each with the changes that make them wrong. */
const cases: ReadonlyArray<[what: string, right: Given, wrongs: Readonly<Record<string, (given: Given) => Given>>]> = [
  [
    'JSON',
    inJson,
    {
      'an id in quotes': replace('"url_id":1', '"url_id":"1"'),
      'an id of nobody': replace('"url_id":1', '"url_id":0'),
      'a field less': replace('"status":"disabled",', ''),
      'a field more': replace('"data":{', '"data":{"account":"user-42",'),
      'a field beside data': replace('{"code"', '{"ok":true,"code"'),
      'fields in another order': replace('"url_id":1,"status":"disabled"', '"status":"disabled","url_id":1'),
      'the status of another operation': replace('disabled', 'active'),
      'a date in another form': replace(time, '2031-05-06T12:00:00Z'),
      'a code that is not the status': replace('"code":200', '"code":201'),
      'a status that the operation does not have': status(409),
      'the type of the other format': header('content-type', 'application/xml; charset=utf-8'),
      'no charset': header('content-type', 'application/json'),
      'leave to be stored': header('cache-control', 'no-cache'),
      'no word to robots': header('x-robots-tag'),
      'a location': header('location', 'https://destination.example/'),
      'the answer of another operation': path(inXml.path.replace('.xml', '.json')),
      'no JSON': replace('}}', '}'),
    },
  ],
  [
    'XML',
    inXml,
    {
      'a field less': replace('<has_password>false</has_password>', ''),
      'a field twice': replace('<has_password>false</has_password>', '<has_password>false</has_password>'.repeat(2)),
      'a field in another place': (given) =>
        replace('</response>', '<code>200</code></response>')(replace('<code>200</code>', '')(given)),
      'a boolean as a number': replace('>false<', '>0<'),
      'a number with a sign': replace('<total_visits>0', '<total_visits>+0'),
      'a null in words': replace('<last_accessed></last_accessed>', '<last_accessed>null</last_accessed>'),
      'an attribute': replace('<url_id>', '<url_id type="integer">'),
      'a space in a value': replace('<code>200', '<code> 200'),
      'a comment': replace('<data>', '<data><!-- -->'),
      'an element that never ends': replace('</response>', ''),
      'an entity that nobody declared': replace('destination.example/', 'destination.example/&nbsp;'),
      'two roots': replace('</response>', '</response><response/>'),
      'an unknown status': replace('active', 'paused'),
      'the fields of create': replace(/<date_created>.*<\/status>/.exec(inXml.text)?.[0] ?? '', ''),
      'the type of the other format': header('content-type', 'application/json; charset=utf-8'),
    },
  ],
  [
    'a list in XML',
    list,
    {
      'an element of another name': (given) => replace('</url>', '</link>')(replace('<url>', '<link>')(given)),
      'a short URL without its element': replace('<url><short_url>https://example.com/a</short_url></url>', 'x'),
      'a cursor behind the time': replace('</data>', '<next_cursor>abc</next_cursor></data>'),
      'a cursor where all was asked for': (given) =>
        path(`${api}list_active_urls.xml`)(replace('</urls>', '</urls><next_cursor>abc</next_cursor>')(given)),
      'a limit that is too high': path(`${api}list_active_urls/limit/1001.xml`),
    },
  ],
  [
    'visits in XML',
    visits,
    {
      'no tags': replace('<tags><tag>mail</tag></tags>', ''),
      'a tag outside tags': replace('<tags><tag>mail</tag></tags>', '<tag>mail</tag>'),
      'a tag with a comma': replace('mail', 'mail,posters'),
      'a limit of nothing': replace('<max_visits></max_visits>', '<max_visits>0</max_visits>'),
      'a limit in words': replace('<max_visits></max_visits>', '<max_visits>null</max_visits>'),
      'a day without visits': replace('<visits>2</visits></day>', '<visits>0</visits></day>'),
      'a day with a time': replace('2031-05-06</date>', '2031-05-06 00:00:00</date>'),
      'a detail without a name': replace('<name>referrer</name>', ''),
      'a detail of an odd name': replace('referrer', 'Referrer'),
      'a detail behind its visits': replace(
        '<value>direct</value><visits>2</visits>',
        '<visits>2</visits><value>x</value>',
      ),
      'details before days': (given) =>
        replace(
          '</status>',
          '</status><details></details>',
        )(replace(/<details>.*<\/details>/.exec(visits.text)?.[0] ?? '', '')(given)),
      'no details': replace(/<details>.*<\/details>/.exec(visits.text)?.[0] ?? '', ''),
      'the status of a removed link': replace('active', 'removed'),
      'the path of info': path(inXml.path),
    },
  ],
  [
    'a page of full records',
    found,
    {
      'a record without a title': replace('"title":"Spring",', ''),
      'an empty title': replace('"Spring"', '""'),
      'tags in one text': replace('["mail"]', '"mail"'),
      'tags in another place': replace('"tags":["mail"],"max_visits":null', '"max_visits":null,"tags":["mail"]'),
      'a rule without a condition': replace('"device":"ios",', ''),
      'rules in one text': replace('[{"device":"ios","url":"https://a.example/"}]', '"ios"'),
      'a first day without a time': replace('"start_date":null', '"start_date":"2031-05-07"'),
      'a password': replace('"has_password":false', '"password":"s3cret"'),
      'the path of the other list': path(`${api}list_active_urls/limit/1`),
      'a limit that is too high': path(`${api}list_urls/limit/1001`),
      'an order that there is not': path(`${api}list_urls/order/random`),
    },
  ],
  [
    'an error',
    refusal,
    {
      'no Retry-After': header('retry-after'),
      'a Retry-After without meaning': header('retry-after', '0'),
      'a code of another status': replace('too_many_requests', 'store_unavailable'),
      'a code that there is not': replace('too_many_requests', 'slow_down'),
      'no message': replace('"message":"Wait.",', ''),
      'an Allow': header('allow', 'GET'),
    },
  ],
  [
    'the answer to another method',
    method,
    {
      'no Allow': header('allow'),
      'an Allow of more': header('allow', 'GET, HEAD'),
      'another error': replace('method_not_allowed', 'unknown_operation'),
      'the answer to a GET': (given) => ({...given, method: 'GET'}),
    },
  ],
  [
    'a redirect',
    redirect,
    {
      'no Location': header('location'),
      'a Location that is not ASCII': header('location', 'https://destination.example/ü'),
      'a Location of another scheme': header('location', 'javascript:alert(1)'),
      'a status that no option gives': status(303),
      'a body': (given) => ({...given, text: 'Found'}),
    },
  ],
  [
    'a page',
    form,
    {
      'leave to be framed': header('x-frame-options'),
      'leave to be stored': header('cache-control', 'private'),
      'no policy': header('content-security-policy'),
      'no word of languages': header('vary', 'Accept'),
      'the status of a wrong password': status(401),
      'the status of an outage without Retry-After': status(503),
      'JSON, which a form cannot be': header('content-type', 'application/json; charset=utf-8'),
    },
  ],
];

async function judge({method: asked = 'GET', path: to, status: code, headers: sent, text}: Given): Promise<void> {
  await judgeAnswer({method: asked, path: to}, '', new Reply(code, sent, text));
}

for (const [what, right, wrongs] of cases) {
  test(`${what}, as described, is accepted`, async (t) => {
    await t.notThrowsAsync(judge(right));
  });
  for (const [fault, spoil] of Object.entries(wrongs)) {
    test(`${what} with ${fault} is refused`, async (t) => {
      const wrong = spoil(right);
      t.notDeepEqual(wrong, right);
      await t.throwsAsync(judge(wrong), {message: /is not as described/});
    });
  }
}

test("the host's own answers are not judged", async (t) => {
  for (const given of [
    {path: '/about', status: 404, headers: {}, text: 'No such page.'},
    {path: '/api/v1/users', status: 200, headers: {'content-type': 'text/plain'}, text: 'The host’s'},
    {path: '/old', status: 302, headers: {location: '/new'}, text: ''},
  ]) {
    await t.notThrowsAsync(judge(given));
  }
});
