import {IncomingMessage, ServerResponse} from 'node:http';
import {Socket} from 'node:net';
import {PassThrough} from 'node:stream';
import {text as read} from 'node:stream/consumers';
import {gzipSync} from 'node:zlib';
import Keyv from 'keyv';
import Koa, {HttpError, type Context} from 'koa';
import {readUpload} from '../../../../src/dashboard/forms/upload.ts';
import {shortUrl} from '../../../../src/index.ts';
import {readFile} from '../../../../src/tools/import/formats/formats.ts';
import {timeZone} from '../../../../src/tables/moments.ts';
import {exportLinks, importLinks} from '../../../../src/tools.ts';
import {ToolError} from '../../../../src/tools/tool-error.ts';

/** Something that reads what strangers send. */
export interface Target {
  readonly name: string;
  /** Inputs to begin with, each in the form that the target expects. */
  readonly seeds: ReadonlyArray<string | Uint8Array>;
  /** @throws anything that an input must not cause */
  readonly read: (input: Uint8Array) => Promise<void>;
}

/** The longest input, in bytes. */
export const maxLength = 4096;

const secret = 'a secret for tests, and for nothing else';
const destination = 'https://destination.example/a?b=c#d';

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const koa = new Koa();
koa.silent = true;

function contextOf(method: string, url: string, headers: Record<string, string>, body: Uint8Array): Context {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, {method, url});
  Object.assign(request.headers, {host: 'example.com', 'content-length': String(body.length), ...headers});
  request.push(body);
  request.push(null);
  const response = new ServerResponse(request);
  // As Koa begins.
  response.statusCode = 404;
  return koa.createContext(request, response);
}

/** The bytes as a target of a request: what cannot be in one is percent-encoded. */
const targetOf = (input: Uint8Array): string =>
  Buffer.from(input)
    .toString('latin1')
    .replace(/[^!-~]/g, (character) => encodeURIComponent(character));

async function* once(input: Uint8Array): AsyncGenerator<Uint8Array> {
  yield input;
}

async function drain(lines: AsyncIterator<unknown>): Promise<void> {
  while (!(await lines.next()).done);
}

function foreign(name: Parameters<typeof readFile>[0], ...seeds: Target['seeds']): Target {
  return {
    name,
    seeds,
    async read(input) {
      const settings = {zone: timeZone(), pathOf: () => '', onIgnored: () => undefined, table: undefined};
      try {
        await drain(readFile(name, [input], settings));
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
    },
  };
}

/** A site in memory. Its answer throws an error of the program. */
async function site() {
  const store = new Keyv();
  const shortener = shortUrl({baseUrl: 'https://example.com', store, secret, attribution: {parameter: 'via'}});
  const {apiKey} = await shortener.accounts.create('ann');
  const {shortUrl: link} = await shortener.links.create('ann', {url: destination, customUrl: 'spring'});
  const failures: Error[] = [];
  shortener.events.on('error', (error) => failures.push(error));
  return {
    store,
    shortener,
    apiKey,
    link,
    answer: async (
      method: string,
      url: string,
      headers: Record<string, string> = {},
      body: Uint8Array = new Uint8Array(),
    ) => {
      const ctx = contextOf(method, url, headers, body);
      try {
        await shortener(ctx, () => Promise.resolve());
      } catch (error) {
        // As Koa answers it: only what is the program's fault is one.
        if (!(error instanceof HttpError) || error.status >= 500) throw error;
      }
      const [failure] = failures.splice(0);
      if (failure) throw failure;
      if (ctx.status >= 500) throw new Error(`Answered with ${ctx.status}`);
      return ctx;
    },
  };
}

export async function targets(): Promise<readonly Target[]> {
  const {store, shortener, apiKey, link, answer} = await site();
  const base64 = Buffer.from(destination).toString('base64url');
  const output = new PassThrough();
  const [exported] = await Promise.all([read(output), exportLinks({store, format: 'ndjson', to: output})]);
  const visit = await answer('GET', '/spring', {'user-agent': browser});
  const token = new URL(visit.response.get('Location')).searchParams.get('via') ?? '';
  return [
    foreign(
      'csv',
      'Short part,Long URL,Title,Tags,Created,Visits\nspring,https://a.example/,"A ""title""","a, b",2024-01-02,12\n',
      'keyword;url\r\nx;https://a.example/\r\n',
      gzipSync('url\nhttps://a.example/\n'),
      Buffer.from('\uFEFFurl\tkeyword\nhttps://a.example/\tx\n', 'utf16le'),
    ),
    foreign(
      'yourls',
      "-- a dump\nCREATE TABLE `yourls_url` (`keyword` varchar(100), `url` text);\nINSERT INTO `yourls_url` VALUES ('a','https://a.example/','It''s \\'a\\'','2024-01-02 03:04:05','127.0.0.1',5),('b',NULL,_binary 'x',0x41,'',-1);\n",
      'INSERT INTO "url" ("keyword", "url") VALUES (\'a\', E\'https:\\/\\/a.example\\n\');',
    ),
    foreign(
      'kutt',
      '{"data":[{"address":"a","target":"https://a.example/","banned":false,"visit_count":3}],"total":1}',
    ),
    foreign(
      'shlink',
      '{"shortUrls":{"data":[{"shortCode":"a","longUrl":"https://a.example/","tags":["x"],"meta":{"maxVisits":3}}]}}',
    ),
    foreign(
      'bitly',
      '[{"link":"https://bit.ly/a","long_url":"https://a.example/","created_at":"2024-01-02T03:04:05+0000"}]',
    ),
    {
      name: 'ndjson',
      seeds: [exported],
      async read(input) {
        try {
          await importLinks({format: 'ndjson', store: new Keyv(), file: once(input)});
        } catch (error) {
          if (!(error instanceof ToolError)) throw error;
        }
      },
    },
    {
      name: 'get',
      seeds: [
        `create/url/${base64}`,
        `create/custom_url/a/tags/a,b/expiry_date/2031-01-02%2003:04/url/${base64}.xml`,
        `create/rules/${Buffer.from('[{"device":"ios","url":"https://a.example/"}]').toString('base64')}/url/${base64}`,
        `info/short_url/${Buffer.from(link).toString('base64')}`,
        'list_urls/limit/2/order/oldest/search/a/cursor/eyJhIjoxfQ',
      ],
      async read(input) {
        await answer('GET', `/api/v1/${apiKey}/shorturl/${targetOf(input)}`);
      },
    },
    {
      name: 'post',
      seeds: [
        JSON.stringify({url: destination, tags: ['a'], max_visits: 5, rules: [{language: 'de', url: destination}]}),
        JSON.stringify({short_url: link, clear: ['title'], start_date: '2031-01-02T03:04:05+01:00'}),
        JSON.stringify({links: [{url: destination, custom_url: 'é'}, {url: 5}]}),
      ],
      async read(input) {
        const headers = {authorization: `Bearer ${apiKey}`, 'content-type': 'application/json'};
        for (const operation of ['create', 'update', 'create_many', 'record_conversion'])
          await answer('POST', `/api/v1/shorturl/${operation}`, headers, input);
      },
    },
    {
      name: 'visit',
      seeds: ['spring', 'spring+', 'spring).', '%73pring?via=a', 'spring?q=%E2%82', '..%2fspring', 'spring\u200B'],
      async read(input) {
        await answer('GET', `/${targetOf(input)}`, {'user-agent': browser, 'accept-language': 'de-AT,de;q=0.5'});
      },
    },
    {
      name: 'token',
      seeds: [token, 'a.b'],
      async read(input) {
        await shortener.conversions.find({via: Buffer.from(input).toString('utf8')});
      },
    },
    {
      name: 'multipart',
      seeds: [
        '--b\r\nContent-Disposition: form-data; name="token"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\nurl\r\n--b--\r\n',
      ],
      async read(input) {
        await readUpload(contextOf('POST', '/', {'content-type': 'multipart/form-data; boundary=b'}, input), 100_000);
      },
    },
  ];
}
