import type {ExecutionContext} from 'ava';
import {urlSafe} from '../../support/base64.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import type {Form} from '../../support/judge-call.ts';
import type {Reply} from '../../support/request.ts';
import {type Call, noon, segments, type Site, type SiteOptions, startSite} from '../../support/site.ts';
import {memoryAtRoot} from '../../support/worlds.ts';

/** A site with everything that the failures need. */
export interface Scene {
  readonly site: Site;
  readonly store: FailingAdapter;
  readonly clock: {
    now: number;
    /** The number of times that the clock still answers before it throws. */
    answers: number;
  };
  /** An active short URL. */
  readonly link: string;
  /** The id of a labelled key. */
  readonly keyId: string;
  /** The cursor of the page after the first short URL. */
  readonly cursor: string;
}

export interface SceneOptions {
  readonly shortUrl?: SiteOptions['shortUrl'];
  readonly keyIn?: 'path' | 'header';
}

export async function openScene(t: ExecutionContext, options: SceneOptions = {}): Promise<Scene> {
  const store = new FailingAdapter();
  const clock = {now: noon, answers: Infinity};
  const now = (): number => {
    clock.answers -= 1;
    if (clock.answers < 0) throw new Error('The clock stands still');
    return clock.now;
  };
  const secret = 'a-secret-of-good-length-0123456789';
  const {keyIn = 'path'} = options;
  const site = await startSite(t, {
    world: {...memoryAtRoot, keyIn},
    shortUrl: {store: store as never, secret, keyAttempts: 1, now, attribution: {}, ...options.shortUrl},
  });
  const {links, keys} = site.shortener;
  const {shortUrl: link} = await links.create('user-42', {url: destination, customUrl: 'first'});
  await links.create('user-42', {url: destination, customUrl: 'second', reference: 'order 1002'});
  const {next_cursor: cursor} = (await site.api('list_active_urls', {limit: '1'})).json().data;
  const {id: keyId} = await keys.create('user-42', {label: 'Newsletter', scope: 'read'});
  return {site, store, clock, link, keyId, cursor};
}

/** Has a character outside the standard alphabet, so the segments after it are not read as more base64. */
export const destination = 'https://destination.example/?~~~';
if (!urlSafe(destination).includes('-') && !urlSafe(destination).includes('_')) throw new Error('It needs another end');

/** As in the body of a POST. */
export type Parameters = Readonly<Record<string, unknown>>;

const options = {
  title: 'Spring programme',
  tags: ['mail', 'posters'],
  max_visits: 100,
  start_date: '2031-05-06',
  expired_url: 'https://destination.example/over',
  forward_query: true,
  rules: [{device: 'ios', url: 'https://phone.example/'}],
  preview_title: 'Spring programme',
  preview_description: 'All concerts of the season',
  preview_image: 'https://destination.example/a.png',
  reference: 'order 1001',
  utm: {source: 'mail', campaign: 'spring'},
};
const expiring = {password: 's3cret', expiry_date: '2031-06-07'};

const ofDays = {from: '2030-01-01', until: '2030-01-31'};
const filter = {status: 'active', tag: 'mail', search: 'spring', broken: false};
const comparing = {...ofDays, ...filter, order: 'value', name: 'order', currency: 'EUR', limit: 1};

/** The parameters of a valid call of each operation. */
const parameters: Readonly<Record<string, (scene: Scene) => Parameters>> = {
  keys: () => ({}),
  create_key: () => ({label: 'Newsletter', scope: 'create'}),
  revoke_key: ({keyId}) => ({id: keyId}),
  record_conversion: () => ({
    via: 'forged',
    customer: 'user-7',
    name: 'order',
    id: '1001',
    value: 4900,
    currency: 'EUR',
  }),
  refund_conversion: () => ({name: 'order', id: '1001', refund: 'refund-7', value: 4900}),
  identify_customer: () => ({via: 'forged', customer: 'user-7'}),
  forget_customer: () => ({customer: 'user-7'}),
  forget_conversion_name: () => ({name: 'oder'}),
  create: () => ({url: destination, custom_url: 'spring', ...expiring, base_domain: 'sho.rt', ...options, reuse: true}),
  disable: ({link}) => ({short_url: link}),
  enable: ({link}) => ({short_url: link}),
  info: ({link}) => ({short_url: link}),
  list_active_urls: ({cursor}) => ({limit: 1, cursor}),
  update: ({link}) => ({short_url: link, url: destination, ...expiring, ...options}),
  remove: ({link}) => ({short_url: link}),
  stats: ({link}) => ({short_url: link}),
  qr: ({link}) => ({short_url: link, format: 'png', size: 600}),
  create_many: ({link}) => ({links: [{url: destination, tags: ['mail']}, {url: link}]}),
  update_many: ({link}) => ({
    changes: [
      {short_url: link, password: null, title: 'Spring programme', clear: ['tags']},
      {short_url: link, status: 'removed'},
      {short_url: link, status: 'active'},
    ],
  }),
  account_stats: () => ({...filter, ...ofDays}),
  tags: () => ({}),
  compare: () => comparing,
  compare_tags: () => ({...comparing, by: 'tag'}),
  list_urls: ({cursor}) => ({
    ...filter,
    ...{reference: 'order 1001', order: 'oldest', limit: 1, cursor},
  }),
};

/** Those of the forms by GET that have others, by the id of the form. */
const parametersOfForms: typeof parameters = {
  create: () => ({url: destination}),
  infoWithReference: () => ({reference: 'order 1002'}),
  listActiveUrls: () => ({}),
  listActiveUrlsWithLimit: () => ({limit: 1}),
  updateWithClear: ({link}) => ({short_url: link, clear: ['password', 'tags']}),
  updateWithRemoveTags: ({link}) => ({short_url: link, add_tags: ['spring', 'mail'], remove_tags: ['posters']}),
  statsWithOptions: ({link}) => ({short_url: link, ...ofDays}),
  qr: ({link}) => ({short_url: link}),
  qrWithOptions: ({link}) => ({format: 'svg', size: 300, short_url: link}),
  listUrls: () => ({}),
  accountStats: () => ({}),
  compare: () => ({}),
  compareTags: () => ({}),
};

/** What an attempt calls: a form of an operation, or a path that is none. */
export type Called = Pick<Form, 'name' | 'method' | 'keyIn'> & {readonly id: string};

/** A valid call, which a failure changes. */
export interface Attempt {
  readonly scene: Scene;
  readonly parameters: Parameters;
  /** Without a suffix. */
  readonly path: string;
  readonly send: (parameters: object, call?: Omit<Call, 'keyIn' | 'body'>) => Promise<Reply>;
  /** Sends a path as it is, with the suffix of the attempt. */
  readonly sendPath: (path: string) => Promise<Reply>;
}

export async function attempt(
  t: ExecutionContext,
  {id, name, method, keyIn}: Called,
  suffix: string,
): Promise<Attempt> {
  const scene = await openScene(t, {keyIn});
  const {site} = scene;
  const ofForm = method === 'GET' ? parametersOfForms[id.replace('WithKeyInPath', '')] : undefined;
  const valid = (ofForm ?? parameters[name])?.(scene) ?? {};
  return {
    scene,
    parameters: valid,
    path: method === 'GET' ? segments(name, inPath(valid)) : name,
    send: (given, call) =>
      method === 'GET' ? site.api(name, inPath(given), {suffix, ...call}) : site.post(name, given, {suffix, ...call}),
    sendPath: (path) => site.call(path + suffix),
  };
}

/** The texts that a path has for values, without escapes. */
function inPath(values: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name === 'rules' || name === 'utm' ? JSON.stringify(value) : String(value),
    ]),
  );
}
