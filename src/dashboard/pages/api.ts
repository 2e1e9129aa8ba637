import {planted} from '../../planted.ts';
import {limits} from '../generated/limits.ts';
import {type CreatedApiKey, type CreateKey, ShortUrlError} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {type Failure, noFailure, staleForm, submit} from '../forms/failures.ts';
import {confirmation, formToken, hasToken} from '../forms/protection.ts';
import {html} from '../html.ts';
import {apiCalls, apiOperations} from '../parts/api-calls.ts';
import {apiKeyPanel} from '../parts/api-key.ts';
import {labelledKeys} from '../parts/labelled-keys.ts';
import {alert, card, doneNotice} from '../parts/pieces.ts';
import {type DashboardRequest, ownLink, type PageReply, type Reply} from '../request.ts';

interface ApiOutcome {
  readonly failure?: Failure;
  /** A new labelled key, which only this page shows. */
  readonly made?: CreatedApiKey;
  /** What is wrong with the label of a new key. */
  readonly wrongLabel?: string;
}

/** The page with the API key of the account and ready-made API calls. */
export async function showApi(request: DashboardRequest, outcome: ApiOutcome = {}): Promise<PageReply> {
  const {failure} = outcome;
  const {texts, shortener, account, root} = request;
  const [example, keys] = await Promise.all([exampleLink(request), shortener.keys.list(account)]);
  const operations = apiOperations(request, example ?? '').filter(({isAboutLink}) => !isAboutLink || example);
  const calls = html`<p>${example === undefined ? texts.api.withoutLink : texts.api.forLink(withoutScheme(example))}</p>
    ${apiCalls(request, operations)}
    <p>
      ${texts.api.files} <a href="${root}openapi.json">openapi.json</a> (OpenAPI 3.1),
      <a href="${root}short-url.xsd">short-url.xsd</a> (XML Schema)
    </p>`;
  return {
    status: failure?.status,
    title: texts.tabs.api,
    content: html`<h1>${texts.tabs.api}</h1>
      ${failure === undefined && doneNotice(request, {key: texts.notices.key})}
      ${failure?.errors.form !== undefined && alert(failure.errors.form)} ${apiKeyPanel(request)}
      ${labelledKeys(request, keys, outcome)} ${card('calls', texts.api.calls, calls)}`,
  };
}

/** The short URL that the calls are about: that of the query, or the newest of the account. */
async function exampleLink(request: DashboardRequest): Promise<string | undefined> {
  const {shortener, account, query} = request;
  const wanted = query.get('short_url');
  if (wanted !== null && wanted !== '') return (await ownLink(request, wanted)).shortUrl;
  return (await shortener.links.page(account, {limit: 1})).links[0]?.shortUrl;
}

/** Replaces the API key. The page has asked for confirmation. */
export async function replaceKey(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, root} = request;
  return submit(request, {
    work: async () => {
      const {apiKey} = await shortener.accounts.rotate(account);
      return withQuery(`${root}api`, confirmation(formToken(apiKey), 'key'));
    },
    again: (failure) => showApi(request, {failure}),
  });
}

/** Creates a labelled key. Only the page that answers the form shows it. */
export async function createKey(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, texts} = request;
  if (!hasToken(request)) return showApi(request, {failure: staleForm(request)});
  const key = {label: (form.get('label') ?? '').trim(), scope: form.get('scope')} as CreateKey;
  let made: CreatedApiKey;
  try {
    made = await shortener.keys.create(account, key);
  } catch (error) {
    if (!(error instanceof ShortUrlError) || ![400, 409].includes(error.status)) throw error;
    const {status, code} = error;
    if (code === 'too_many_keys') {
      return showApi(request, {failure: {status, entered: {}, errors: {form: texts.keys.tooMany}}});
    }
    return showApi(request, {failure: {...noFailure, status}, wrongLabel: texts.errors.characters(limits.label)});
  }
  return showApi(request, {made});
}

/** Revokes a labelled key. A revoked key stays revoked. */
export async function revokeKey(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, root} = request;
  if (!planted('revoke-without-token') && !hasToken(request)) return showApi(request, {failure: staleForm(request)});
  try {
    await shortener.keys.revoke(account, form.get('id') ?? '');
  } catch (error) {
    if (!(error instanceof ShortUrlError) || error.code !== 'unknown_key') throw error;
  }
  return {location: `${root}api#links-keys`};
}
