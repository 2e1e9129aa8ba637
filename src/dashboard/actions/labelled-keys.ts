import {type CreatedApiKey, type CreateKey, ShortUrlError} from '../../index.ts';
import {staleForm} from '../forms/failures.ts';
import {hasToken} from '../forms/protection.ts';
import {showApi} from '../pages/api.ts';
import type {DashboardRequest, Reply} from '../request.ts';

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
    const text = error.code === 'too_many_keys' ? texts.keys.tooMany : texts.keys.wrongLabel;
    return showApi(request, {failure: {status: error.status, entered: {}, errors: {form: text}}});
  }
  return showApi(request, {made});
}

/** Revokes a labelled key. A revoked key stays revoked. */
export async function revokeKey(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, root} = request;
  if (!hasToken(request)) return showApi(request, {failure: staleForm(request)});
  try {
    await shortener.keys.revoke(account, form.get('id') ?? '');
  } catch (error) {
    if (!(error instanceof ShortUrlError) || error.code !== 'unknown_key') throw error;
  }
  return {location: `${root}api#links-keys`};
}
