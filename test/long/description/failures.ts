import {urlSafe} from '../../support/base64.ts';
import type {Failure} from '../../support/answers.ts';
import type {Call} from '../../support/site.ts';
import type {Reply} from '../../support/request.ts';
import {destination, type Scene} from './scene.ts';

/** Calls an operation so that it fails. `path` is a valid call. */
type Fail = (scene: Scene, path: string, suffix: string) => Promise<Reply>;

/** The same operation with a changed path. */
const changed =
  (change: (path: string, scene: Scene) => string): Fail =>
  (scene, path, suffix) =>
    scene.site.call(change(path, scene) + suffix);

/** The same operation with another value for one of its parameters. */
const withValue = (name: string, value: string): Fail =>
  changed((path) => path.replace(new RegExp(`/(${name})/[^/]+`), `/$1/${value}`));

const encoded = 'url|short_url';
const wrong = {key: 'x'.repeat(32)};

/** How to provoke each failure of any operation by GET. */
export const failures: Readonly<
  Record<Exclude<Failure, 'malformed_body' | 'unknown_key' | 'too_many_keys' | 'too_many_links'>, Fail>
> = {
  async idempotency_key_reused({site}, path, suffix) {
    const headers = {'Idempotency-Key': 'K-1'};
    await site.api('create', {url: 'https://destination.example/other'}, {headers});
    return site.call(path + suffix, {headers});
  },
  missing_parameter: changed((path) => path.replace(new RegExp(`/(${encoded})/[^/]+`), '')),
  unknown_parameter: changed((path) => `${path}/colour/red`),
  duplicate_parameter: changed((path) => path + (/\/[a-z_]+\/[^/]+$/.exec(path)?.[0] ?? '')),
  malformed_parameter: changed((path) => `${path}//`),
  unsupported_format: ({site}, path) => site.call(`${path}.yaml`),
  malformed_base64: withValue(encoded, '!'),
  invalid_url: withValue('url', urlSafe('ftp://destination.example/')),
  forbidden_url: changed((path, {link}) => path.replace(urlSafe(destination), urlSafe(link))),
  invalid_custom_url: withValue('custom_url', 'api'),
  invalid_password: withValue('password', 'x'.repeat(129)),
  invalid_expiry_date: withValue('expiry_date', '2031-02-30'),
  invalid_base_domain: withValue('base_domain', 'https:%2F%2Fsho.rt'),
  unknown_base_domain: withValue('base_domain', 'foreign.example'),
  invalid_api_key: ({site}, path, suffix) => site.call(path + suffix, wrong),
  async account_blocked({site}, path, suffix) {
    await site.shortener.admin.blockAccount('user-42');
    return site.call(path + suffix);
  },
  async insufficient_scope({site}, path, suffix) {
    const {apiKey: key} = await site.shortener.keys.create('user-42', {label: 'Reader', scope: 'read'});
    return site.call(path + suffix, {key});
  },
  async link_blocked({site, link}, path, suffix) {
    await site.shortener.admin.block(link);
    return site.call(path + suffix);
  },
  prefetch_refused: ({site}, path, suffix) => site.call(path + suffix, {headers: {'Sec-Purpose': 'prefetch'}}),
  unknown_operation: ({site}, path, suffix) => site.call(path + suffix),
  unknown_short_url: withValue('short_url|reference', urlSafe('https://example.com/none')),
  method_not_allowed: ({site}, path, suffix) => site.call(path + suffix, {method: 'PUT'}),
  custom_url_taken: changed((path) => path.replace('/spring/', '/first/').replace('/sho.rt/', '/example.com/')),
  async reference_taken({site}, path, suffix) {
    await site.shortener.links.create('user-42', {url: destination, reference: 'order 1001'});
    return site.call(path + suffix);
  },
  async link_expired({site, clock}, path, suffix) {
    const url = 'https://destination.example/';
    const {shortUrl} = await site.shortener.links.create('user-42', {url, expiryDate: '2031-05-06'});
    clock.now += 24 * 60 * 60_000;
    return withValue('short_url', urlSafe(shortUrl))({site, clock} as Scene, path, suffix);
  },
  async too_many_requests({site}, path, suffix) {
    await site.call(path + suffix, wrong);
    return site.call(path + suffix, wrong);
  },
  internal_error({site, clock}, path, suffix) {
    clock.answers = 1;
    // These read the clock only once, so a wrong key provokes the failure.
    return site.call(path + suffix, /^(?:delete|qr\/)/.test(path) ? wrong : {});
  },
  store_unavailable({site, store}, path, suffix) {
    store.isDown = true;
    return site.call(path + suffix);
  },
};

/** Sends a body to an operation so that it fails. `body` is a valid one. */
type FailToPost = (send: Send, body: Readonly<Record<string, unknown>>, scene: Scene) => Promise<Reply>;
type Send = (body: unknown, call?: Omit<Call, 'keyIn' | 'body'>) => Promise<Reply>;

/** The same body with another value. */
const withMember =
  (name: string, value: unknown): FailToPost =>
  (send, body) =>
    send({...body, [name]: value});

/** How to provoke each failure of an operation by POST, by its code or by its status and code. */
export const failuresOfPost: Readonly<Record<string, FailToPost>> = {
  missing_parameter: (send) => send({}),
  unknown_parameter: withMember('colour', 'red'),
  malformed_parameter: (send, body) => send({...body, [Object.keys(body)[0] ?? '']: {}}),
  malformed_body: (send) => send([]),
  '413 malformed_body': (send) => send({url: 'x'.repeat(256 * 1024)}),
  '415 malformed_body': (send, body) => send(body, {headers: {'Content-Type': 'text/plain'}}),
  unsupported_format: (send, body) => send(body, {suffix: '.yaml'}),
  invalid_url: withMember('url', 'ftp://destination.example/'),
  forbidden_url: (send, body, {link}) => send({...body, url: link}),
  invalid_custom_url: withMember('custom_url', 'api'),
  invalid_password: withMember('password', 'x'.repeat(129)),
  invalid_expiry_date: withMember('expiry_date', '2031-02-30'),
  invalid_base_domain: withMember('base_domain', 'https://sho.rt'),
  unknown_base_domain: withMember('base_domain', 'foreign.example'),
  invalid_api_key: (send, body) => send(body, wrong),
  async account_blocked(send, body, {site}) {
    await site.shortener.admin.blockAccount('user-42');
    return send(body);
  },
  async insufficient_scope(send, body, {site}) {
    const {apiKey: key} = await site.shortener.keys.create('user-42', {label: 'Reader', scope: 'read'});
    return send(body, {key});
  },
  unknown_key: withMember('id', 'V1StGXR8_Z'),
  async too_many_links(send, _body, {site}) {
    // More than are put in the order of their visits.
    const many = Array.from({length: 10_001}, () => ({url: destination}));
    for await (const {error} of site.shortener.links.createMany('user-42', many)) if (error) throw error;
    return send({order: 'visits'});
  },
  async too_many_keys(send, body, {site}) {
    for (let number = 1; number <= 20; number += 1) {
      await site.shortener.keys.create('user-42', {label: `Key ${number}`, scope: 'read'}).catch(() => undefined);
    }
    return send(body);
  },
  async link_blocked(send, body, {site, link}) {
    await site.shortener.admin.block(link);
    return send(body);
  },
  unknown_short_url: withMember('short_url', 'https://example.com/none'),
  custom_url_taken: (send, body) => send({...body, custom_url: 'first', base_domain: 'example.com'}),
  async reference_taken(send, body, {site}) {
    await site.shortener.links.create('user-42', {url: destination, reference: 'order 1001'});
    return send(body);
  },
  async idempotency_key_reused(send, body, {site}) {
    const headers = {'Idempotency-Key': 'K-1'};
    await site.api('create', {url: 'https://destination.example/other'}, {headers});
    return send(body, {headers});
  },
  async link_expired(send, _body, {site, clock}) {
    const url = 'https://destination.example/';
    const {shortUrl} = await site.shortener.links.create('user-42', {url, expiryDate: '2031-05-06'});
    clock.now += 24 * 60 * 60_000;
    return send({short_url: shortUrl});
  },
  async too_many_requests(send, body) {
    await send(body, wrong);
    return send(body, wrong);
  },
  internal_error(send, body, {clock}) {
    clock.answers = 1;
    // A call of many has the errors of its items in the results, and others do not read the clock, so a wrong key provokes
    // the failure.
    const readsClock = !['links', 'changes', 'id', 'size'].some((name) => name in body) && Object.keys(body).length > 0;
    return send(body, readsClock ? {} : wrong);
  },
  store_unavailable(send, body, {store}) {
    store.isDown = true;
    return send(body);
  },
};
