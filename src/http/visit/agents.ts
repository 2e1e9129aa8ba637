import type {IncomingHttpHeaders} from 'node:http';
import {isbot} from 'isbot';
import {LRUCache} from 'lru-cache';
import type {Rule} from '../../link/link.ts';

interface Asking {
  readonly req: {readonly headers: IncomingHttpHeaders};
}

/** A preview is made by a chat program or a social network for the people who see the link. */
type Kind = 'person' | 'preview' | 'office' | 'machine';

type Device = NonNullable<Rule['device']>;

interface Agent {
  readonly kind: Kind;
  readonly device: Device | undefined;
}

/** In characters: more than any browser sends. The time to judge an agent grows with its length. */
const maxAgentLength = 512;

/** Judging an agent takes microseconds, so the result is kept by its text: at most about 1 MB. */
const known = new LRUCache<string, Agent>({max: 1000});

/** The last agent, because a visit asks several questions. */
let lastText = '';
let last: Agent = {kind: 'machine', device: undefined};

/** Agents of Office, which may look like those of old browsers. */
const office = /ms-?office|microsoft office|\b(?:word|excel|powerpoint|onenote|outlook)\/\d/i;

/** Agents of an app's own requests, by the frameworks of iOS and Android. They do not name a browser. */
const frameworks =
  /\bcom\.apple\.WebKit\.Networking\b|^(?!.*(?:mozilla|safari|chrome|crios|firefox|fxios|opera)\b).*\b(?:CFNetwork|Dalvik)\b/i;

/**
 * Bots that make no previews. All others count as previews, because no list has every chat program. Without a card a bot is
 * redirected in either case.
 */
const searchEngines =
  /google|bing(?:bot|preview)|adidx|msnbot|slurp|yandex|baidu|duckduck|seznam|naver|yeti|daum|mail\.ru|applebot|amazonbot|amzn|petalbot|qwant|mojeek|coccoc|exabot|yacy|nutch|kagi|brave|gptbot|chatgpt|openai|claude|anthropic|perplexity|cohere|mistral|gemini|ccbot|diffbot|ahrefs|semrush|mj12|dotbot|rogerbot|\bserp|sistrix|blexbot|barkrowler/i;
/** Words in names of such bots. They may also be in the URL of another bot, so that is left out. */
const machines =
  /search|crawl|spider|scrap|index|archiv|heritrix|wayback|scan|check|monitor|uptime|health|probe|valid|verif|feed|\brss|seo\b|screaming frog|lighthouse|gtmetrix|pingdom|statuscake|datadog|newrelic|zabbix|nagios|censys|nmap|virustotal|headless|phantom|puppeteer|playwright|selenium/i;
const clients =
  /^(?:curl|wget|python|aiohttp|httpx|libwww|lwp|perl|java|apache-http|okhttp|go-http|axios|node|undici|got\b|bun\b|deno|ruby|http\.rb\/[\d.]+$|faraday|guzzle|php|symfony|dart|postman|insomnia|httpie|httrack|reqwest|rust|hyper|colly|fasthttp|jetty|restsharp|\.net|mechanize|winhttp|powershell|aria2|lynx|w3m|links)|powershell\//i;
/** Previews that the patterns above would match. */
const previews =
  /(?<!bing|google web )preview|unfurl|onebox|embed|snippet|externalhit|kakao|nextcloud|googlemessages|snapchat/i;

/** The default of `countVisit`: bots, link previews, apps, programs of Office and clients without `User-Agent` do not count. */
export function isNoBot(asking: Asking): boolean {
  return kindOf(asking) === 'person';
}

/** Whether a request comes from a program that makes a preview of a link for people. */
export function isPreview(asking: Asking): boolean {
  return kindOf(asking) === 'preview';
}

/**
 * Whether a request comes from a program of Microsoft Office. It follows the redirects of a link in a document itself, and
 * then opens the last URL in the browser, which would never ask for the short URL.
 */
export function isOffice(asking: Asking): boolean {
  return kindOf(asking) === 'office';
}

/** By the words that browsers use. An iPad that requests desktop pages counts as a desktop. */
export function deviceOf(text: string): Device | undefined {
  return agentOf(text).device;
}

function kindOf({req}: Asking): Kind {
  return agentOf(req.headers['user-agent'] ?? '').kind;
}

function agentOf(text: string): Agent {
  if (text === lastText) return last;
  let agent = known.get(text);
  if (agent === undefined) {
    const start = text.slice(0, maxAgentLength);
    agent = {kind: readKind(start), device: readDevice(start)};
    if (start === text) known.set(text, agent);
  }
  lastText = text;
  last = agent;
  return agent;
}

function readKind(agent: string): Kind {
  if (agent === '') return 'machine';
  if (office.test(agent)) return 'office';
  if (!isbot(agent)) return frameworks.test(agent) ? 'machine' : 'person';
  if (previews.test(agent)) return 'preview';
  const name = agent.replaceAll(/https?:\S*/gi, '');
  return searchEngines.test(agent) || machines.test(name) || clients.test(name) ? 'machine' : 'preview';
}

function readDevice(agent: string): Device | undefined {
  if (/windows phone/i.test(agent)) return undefined;
  if (/\b(?:iPhone|iPad|iPod)\b/.test(agent)) return 'ios';
  if (/\bAndroid\b/.test(agent)) return 'android';
  return /\b(?:Windows NT|Macintosh|X11|CrOS)\b/.test(agent) ? 'desktop' : undefined;
}
