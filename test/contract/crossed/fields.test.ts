import '../../support/quick-scrypt.ts';
import test, {type ExecutionContext} from 'ava';
import type {Link} from '../../../src/index.ts';
import {named} from '../../../src/dashboard/forms/rules.ts';
import {fields, type GivenName, updateNames} from '../../../src/link/fields.ts';
import {urlSafe} from '../../support/base64.ts';
import {csvCells} from '../../support/csv.ts';
import {elementsOf} from '../../support/documents.ts';
import {open, type Stage} from '../../support/dashboard.ts';
import {linkPath} from '../../support/dashboard-pages.ts';
import {extremes} from '../../support/extremes.ts';
import {exported} from '../../support/tools/text.ts';

const url = 'https://destination.example/first';
/** Long before and after the dates among the values. */
const longAgo = Date.parse('2000-01-01T00:00:00Z');

type Name = (typeof updateNames)[number];

/** A value as an API call has it. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** A value as a path has it. */
function asSegment(name: Name, value: unknown): string {
  const json = asJson(value);
  const text = typeof json === 'object' && name !== 'tags' ? JSON.stringify(json) : String(json);
  return fields[name].shape.isEncoded ? urlSafe(text) : encodeURIComponent(text);
}

interface Way {
  readonly update: (stage: Stage, shortUrl: string, name: Name, value: unknown) => Promise<unknown>;
  readonly clear: (stage: Stage, shortUrl: string, name: Name) => Promise<unknown>;
}

async function call({origin, shortener}: Stage, operation: string, body: object): Promise<void> {
  const {apiKey} = await shortener.accounts.create('ann');
  const reply = await fetch(`${origin}/api/v1/shorturl/${operation}`, {
    method: 'POST',
    headers: {'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}`},
    body: JSON.stringify(body),
  });
  const answer = await reply.text();
  if (reply.status !== 200 || answer.includes('"error"')) throw new Error(answer);
}

async function get({origin, shortener}: Stage, shortUrl: string, rest: string): Promise<void> {
  const {apiKey} = await shortener.accounts.create('ann');
  const reply = await fetch(`${origin}/api/v1/shorturl/update/short_url/${urlSafe(shortUrl)}/${rest}.json`, {
    headers: {Authorization: `Bearer ${apiKey}`},
  });
  if (reply.status !== 200) throw new Error(await reply.text());
}

/** How a field is changed and cleared. */
const ways: Readonly<Record<string, Way>> = {
  'in code': {
    update: ({shortener}, link, name, value) => shortener.links.update('ann', link, {[name]: value}),
    clear: ({shortener}, link, name) => shortener.links.update('ann', link, {[name]: null}),
  },
  'by POST': {
    update: (stage, short_url, name, value) =>
      call(stage, 'update', {short_url, [fields[name].parameter]: asJson(value)}),
    clear: (stage, short_url, name) => call(stage, 'update', {short_url, [fields[name].parameter]: null}),
  },
  'with others by POST': {
    update: (stage, short_url, name, value) =>
      call(stage, 'update_many', {changes: [{short_url, [fields[name].parameter]: asJson(value)}]}),
    clear: (stage, short_url, name) =>
      call(stage, 'update_many', {changes: [{short_url, clear: [fields[name].parameter]}]}),
  },
  'by GET': {
    update: (stage, link, name, value) => get(stage, link, `${fields[name].parameter}/${asSegment(name, value)}`),
    clear: (stage, link, name) => get(stage, link, `clear/${fields[name].parameter}`),
  },
};

/** What the form of an action posts if nobody changes anything. */
function formIn(html: string, action: string): Record<string, string> {
  const elements = elementsOf(html);
  const start = elements.findIndex(({name, attributes}) => name === 'form' && attributes.get('action') === action);
  const end = elements.findIndex(({name}, index) => index > start && name === 'form');
  const form: Record<string, string> = {};
  let select = '';
  for (const {name, attributes} of elements.slice(start + 1, end === -1 ? undefined : end)) {
    const [own = '', value = ''] = [attributes.get('name'), attributes.get('value')];
    if (name === 'select') select = own;
    if (name === 'option' && (attributes.has('selected') || form[select] === undefined)) form[select] = value;
    const isChosen = attributes.get('type') !== 'checkbox' || attributes.has('checked');
    if (name === 'input' && own !== '' && isChosen) form[own] = value;
  }
  return form;
}

/** Each extreme value. The site has one domain. */
const values = Object.entries(extremes).flatMap(([name, all]) =>
  name === 'baseDomain' ? [] : all.map((value): [GivenName, unknown] => [name as GivenName, value]),
);

/** A link without what each link has of its own. */
const ownOf = (link: Link): object => ({...link, urlId: 0, shortUrl: '', shortUrlPart: '', dateCreated: ''});

async function start(t: ExecutionContext): Promise<Stage> {
  const stage = await open(t);
  stage.clock.now = longAgo;
  return stage;
}

for (const [title, {update, clear}] of Object.entries(ways)) {
  test(`each field takes each extreme value ${title}, as a create does, and is cleared`, async (t) => {
    const stage = await start(t);
    const {links} = stage.shortener;
    for (const [name, value] of values) {
      if (!updateNames.includes(name as Name)) continue;
      // A list without items has no text.
      if (title === 'by GET' && Array.isArray(value) && value.length === 0) continue;
      const own = name as Name;
      const created = await links.create('ann', {url, [name]: value});
      const {shortUrl} = await links.create('ann', {url: 'https://other.example/', ...(name !== 'url' && {url})});
      if (name === 'reference') await links.remove('ann', created.shortUrl);
      await update(stage, shortUrl, own, value);
      t.deepEqual(
        ownOf(await links.info('ann', shortUrl)),
        ownOf(created),
        `${name} ${JSON.stringify(value).slice(0, 80)}`,
      );
      if (fields[own].update === 'replace') continue;
      await clear(stage, shortUrl, own);
      const plain = await links.create('ann', {url});
      t.deepEqual(ownOf(await links.info('ann', shortUrl)), ownOf(plain), name);
    }
  });
}

test('the form of a link with any extreme value changes nothing when it is sent as it is, and makes the same link again', async (t) => {
  const stage = await start(t);
  const {links} = stage.shortener;
  const ann = stage.visitor('ann');
  for (const [name, value] of values) {
    const what = `${name} ${JSON.stringify(value).slice(0, 80)}`;
    const before = await links.create('ann', {url, [name]: value});
    const form = formIn((await ann.get(linkPath(before.shortUrl))).text, './update');
    const sent = await ann.post('update', form);
    t.is(sent.status, 303, `${what} ${/links-error[^<]*/.exec(sent.text)?.[0]}`);
    t.deepEqual(await links.info('ann', before.shortUrl), before, what);
    const like = formIn((await ann.get(`?like=${encodeURIComponent(before.shortUrl)}`)).text, './create');
    const made = await ann.post('create', like);
    t.is(made.status, 303, `${what} ${/links-error[^<]*/.exec(made.text)?.[0]}`);
    const page = await links.page('ann', {limit: 1});
    const again = await links.info('ann', page.links[0]?.shortUrl ?? '');
    // The reference and the password stay those of the one. Each share gets its name.
    const rules = named(before.rules);
    t.deepEqual(ownOf(again), {...ownOf(before), reference: null, hasPassword: false, rules}, what);
  }
});

test('each text is in its cell of every CSV, as a reader of the format sees it', async (t) => {
  const store = new Map<string, unknown>();
  const {shortener, visitor} = await open(t, {shortUrl: {store, secret: 'a secret of good length, for tests'}});
  const texts = [
    '"',
    '""',
    '"a"',
    'a"b',
    '",',
    ',',
    ';',
    'a,b',
    'a;b',
    "'",
    "''",
    '=1',
    '+1',
    '-1',
    '@a',
    'a\u{2028}b',
    'ü',
  ];
  for (const [index, title] of texts.entries()) {
    await shortener.links.create('ann', {
      url,
      customUrl: `n${index}`,
      title,
      previewTitle: title,
      reference: `${title}${index}`,
    });
  }
  // An apostrophe before a text keeps a spreadsheet from taking it for a formula or a number.
  const plain = (text = ''): string => text.replace(/^'+/, '');
  const exports: Array<readonly [rows: string[][], column: string]> = [
    [csvCells((await exported({store, format: 'csv'})).text), 'title'],
    [csvCells((await exported({store, format: 'csv'})).text), 'preview_title'],
    [csvCells((await exported({store, format: 'csv', account: 'ann'})).text), 'title'],
    [csvCells((await visitor('ann').get('links.csv')).text), 'Title'],
    [csvCells((await visitor('ann').get('links.csv', {'Accept-Language': 'de'})).text, ';'), 'Titel'],
  ];
  for (const [[head = [], ...rows], column] of exports) {
    t.is(rows.length, texts.length);
    // A dashboard has the short URL first.
    const [part, at] = [Math.max(0, head.indexOf('short_part')), head.indexOf(column)];
    for (const [index, title] of texts.entries()) {
      const row = rows.find((each) => each[part]?.endsWith(`n${index}`));
      t.is(row?.length, head.length, title);
      t.is(plain(row?.[at]), plain(title), `${column} ${title}`);
    }
  }
});
