import type {Reply} from '../../support/request.ts';
import {viaOf} from '../../support/visitor.ts';
import {type Attempt, destination, type Parameters} from './scene.ts';

/** Calls an operation so that it fails. */
type Fail = (attempt: Attempt) => Promise<Reply>;

/** The same call with other values for those of the parameters that it has. */
const withValues =
  (values: Parameters): Fail =>
  ({send, parameters}) =>
    send(Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, values[name] ?? value])));

const wrong = {key: 'x'.repeat(32)};
const none = 'https://example.com/none';
const ofPath = /\/(url|short_url)\/[^/]+/;

/** How to provoke each failure of an operation, by its code. If that differs, also by the method or the status. */
export const failures: Readonly<Record<string, Fail>> = {
  missing_parameter: ({send}) => send({}),
  unknown_parameter: ({send, parameters}) => send({...parameters, colour: 'red'}),
  duplicate_parameter: ({sendPath, path}) => sendPath(path + (/\/[a-z_]+\/[^/]+$/.exec(path)?.[0] ?? '')),
  'GET malformed_parameter': ({sendPath, path}) => sendPath(`${path}//`),
  malformed_parameter: ({send, parameters}) => send({...parameters, [Object.keys(parameters)[0] ?? '']: {}}),
  malformed_base64: ({sendPath, path}) => sendPath(path.replace(ofPath, '/$1/!')),
  malformed_body: ({send}) => send([]),
  '413 malformed_body': ({send}) => send({url: 'x'.repeat(256 * 1024)}),
  '415 malformed_body': ({send, parameters}) => send(parameters, {headers: {'Content-Type': 'text/plain'}}),
  unsupported_format: ({send, parameters}) => send(parameters, {suffix: '.yaml'}),
  invalid_url: withValues({url: 'ftp://destination.example/'}),
  forbidden_url: (attempt) => withValues({url: attempt.scene.link})(attempt),
  invalid_custom_url: withValues({custom_url: 'api'}),
  invalid_password: withValues({password: 'x'.repeat(129)}),
  invalid_expiry_date: withValues({expiry_date: '2031-02-30'}),
  invalid_base_domain: withValues({base_domain: 'https://sho.rt'}),
  unknown_base_domain: withValues({base_domain: 'foreign.example'}),
  invalid_api_key: ({send, parameters}) => send(parameters, wrong),
  async account_blocked({send, parameters, scene: {site}}) {
    await site.shortener.admin.blockAccount('user-42');
    return send(parameters);
  },
  async insufficient_scope({send, parameters, scene: {site}}) {
    const {apiKey: key} = await site.shortener.keys.create('user-42', {label: 'Reader', scope: 'read'});
    return send(parameters, {key});
  },
  async link_blocked({send, parameters, scene: {site, link}}) {
    await site.shortener.admin.block(link);
    return send(parameters);
  },
  prefetch_refused: ({send, parameters}) => send(parameters, {headers: {'Sec-Purpose': 'prefetch'}}),
  unknown_operation: ({send, parameters}) => send(parameters),
  unknown_key: withValues({id: 'V1StGXR8_Z'}),
  unknown_short_url: withValues({short_url: none, reference: none}),
  method_not_allowed: ({send, parameters}) => send(parameters, {method: 'PUT'}),
  async too_many_links({send, scene: {site}}) {
    // More than are put in the order of their visits.
    const many = Array.from({length: 10_001}, () => ({url: destination}));
    for await (const {error} of site.shortener.links.createMany('user-42', many)) if (error) throw error;
    return send({order: 'visits'});
  },
  async too_many_keys({send, parameters, scene: {site}}) {
    for (let number = 1; number <= 20; number += 1) {
      await site.shortener.keys.create('user-42', {label: `Key ${number}`, scope: 'read'}).catch(() => undefined);
    }
    return send(parameters);
  },
  custom_url_taken: withValues({custom_url: 'first', base_domain: 'example.com'}),
  async reference_taken({send, parameters, scene: {site}}) {
    await site.shortener.links.create('user-42', {url: destination, reference: 'order 1001'});
    return send(parameters);
  },
  async idempotency_key_reused({send, parameters, scene: {site}}) {
    const headers = {'Idempotency-Key': 'K-1'};
    await site.api('create', {url: 'https://destination.example/other'}, {headers});
    return send(parameters, {headers});
  },
  async refund_too_large({send, parameters, scene: {site, link}}) {
    const via = viaOf((await site.visit(link)).headers['set-cookie']);
    await site.post('record_conversion', {via, name: 'order', id: '1001', value: 100});
    return send(parameters);
  },
  async link_expired(attempt) {
    const {site, clock} = attempt.scene;
    const {shortUrl} = await site.shortener.links.create('user-42', {url: destination, expiryDate: '2031-05-06'});
    clock.now += 24 * 60 * 60_000;
    return withValues({short_url: shortUrl})(attempt);
  },
  async too_many_requests({send, parameters}) {
    await send(parameters, wrong);
    return send(parameters, wrong);
  },
  internal_error({send, parameters, scene: {clock}}) {
    clock.answers = 1;
    // Some operations read the clock only once, but for a wrong key it is read again.
    return send(parameters, wrong);
  },
  store_unavailable({send, parameters, scene: {store}}) {
    store.isDown = true;
    return send(parameters);
  },
};
