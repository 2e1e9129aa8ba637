import type {ExecutionContext} from 'ava';
import {urlSafe} from '../../support/base64.ts';
import {FailingAdapter} from '../../support/failing-adapter.ts';
import {noon, segments, type Site, type SiteOptions, startSite} from '../../support/site.ts';
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
    shortUrl: {store: store as never, secret, keyAttempts: 1, now, ...options.shortUrl},
  });
  const create = (part: string) => site.shortener.links.create('user-42', {url: destination, customUrl: part});
  const {shortUrl: link} = await create('first');
  await site.shortener.links.create('user-42', {url: destination, customUrl: 'second', reference: 'order 1002'});
  const {next_cursor: cursor} = (await site.api('list_active_urls', {limit: '1'})).json().data;
  const {id: keyId} = await site.shortener.keys.create('user-42', {label: 'Newsletter', scope: 'read'});
  return {site, store, clock, link, keyId, cursor};
}

/** Has a character outside the standard alphabet, so the segments after it are not read as more base64. */
export const destination = 'https://destination.example/?~~~';
if (!urlSafe(destination).includes('-') && !urlSafe(destination).includes('_')) throw new Error('It needs another end');

/** A valid call of each operation, without a suffix. */
export const paths: Readonly<Record<string, (scene: Pick<Scene, 'link' | 'cursor'>) => string>> = {
  create: () => segments('create', {url: destination}),
  createWithOptions: () =>
    segments('create', {
      custom_url: 'spring',
      password: 's3cret',
      expiry_date: '2031-06-07',
      base_domain: 'sho.rt',
      title: 'Spring programme',
      tags: 'mail,posters',
      max_visits: '100',
      start_date: '2031-05-06',
      expired_url: 'https://destination.example/over',
      forward_query: 'true',
      rules: '[{"device":"ios","url":"https://phone.example/"}]',
      preview_title: 'Spring programme',
      preview_description: 'All concerts of the season',
      preview_image: 'https://destination.example/a.png',
      reference: 'order 1001',
      reuse: 'true',
      url: destination,
    }),
  disable: ({link}) => segments('disable', {short_url: link}),
  enable: ({link}) => segments('enable', {short_url: link}),
  info: ({link}) => segments('info', {short_url: link}),
  infoByReference: () => segments('info', {reference: 'order 1002'}),
  list: () => 'list_active_urls',
  listFirstPage: () => segments('list_active_urls', {limit: '1'}),
  listNextPage: ({cursor}) => segments('list_active_urls', {limit: '1', cursor}),
  update: ({link}) =>
    segments('update', {
      short_url: link,
      url: destination,
      password: 's3cret',
      expiry_date: '2031-06-07',
      title: 'Spring programme',
      tags: 'mail,posters',
      max_visits: '100',
      start_date: '2031-05-06',
      expired_url: 'https://destination.example/over',
      forward_query: 'true',
      rules: '[{"device":"ios","url":"https://phone.example/"}]',
      preview_title: 'Spring programme',
      preview_description: 'All concerts of the season',
      preview_image: 'https://destination.example/a.png',
      reference: 'order 1001',
    }),
  clear: ({link}) => segments('update', {short_url: link, clear: 'password,tags'}),
  changeTags: ({link}) => segments('update', {short_url: link, add_tags: 'spring,mail', remove_tags: 'posters'}),
  remove: ({link}) => segments('remove', {short_url: link}),
  stats: ({link}) => segments('stats', {short_url: link}),
  statsOfDays: ({link}) => segments('stats', {short_url: link, from: '2030-01-01', until: '2030-01-31'}),
  qr: ({link}) => segments('qr', {format: 'svg', size: '300', short_url: link}),
  listUrls: () => 'list_urls',
  findUrls: ({cursor}) =>
    segments('list_urls', {
      status: 'active',
      tag: 'mail',
      search: 'spring',
      reference: 'order 1001',
      order: 'oldest',
      limit: '1',
      cursor,
    }),
  'Any other operation': () => 'delete',
  'Any other method': () => 'list_active_urls',
};

/** The body of a valid POST of each operation. */
export const bodies: Readonly<
  Record<string, (scene: Pick<Scene, 'link' | 'cursor' | 'keyId'>) => Record<string, unknown>>
> = {
  keys: () => ({}),
  create_key: () => ({label: 'Newsletter', scope: 'create'}),
  revoke_key: ({keyId}) => ({id: keyId}),
  record_conversion: () => ({via: 'forged', name: 'order', id: '1001', value: 4900}),
  create: () => ({
    url: destination,
    custom_url: 'spring',
    password: 's3cret',
    expiry_date: '2031-06-07',
    base_domain: 'sho.rt',
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
    reuse: true,
  }),
  disable: ({link}) => ({short_url: link}),
  enable: ({link}) => ({short_url: link}),
  info: ({link}) => ({short_url: link}),
  list_active_urls: ({cursor}) => ({limit: 1, cursor}),
  update: ({link}) => ({
    short_url: link,
    url: destination,
    password: 's3cret',
    expiry_date: '2031-06-07',
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
  }),
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
  list_urls: ({cursor}) => ({
    status: 'active',
    tag: 'mail',
    search: 'spring',
    reference: 'order 1001',
    order: 'oldest',
    limit: 1,
    cursor,
  }),
};
