import {type ErrorCode, ShortUrlError} from '../index.ts';
import {type Entered, type FieldName, wrongFields} from './link-fields.ts';
import type {DashboardRequest} from './request.ts';

/** What came of a form that could not be done: what to say, and at which field. */
export interface Failure {
  readonly status: number;
  readonly entered: Entered;
  /** By field; `form` holds what is about none of them. */
  readonly errors: Readonly<Partial<Record<FieldName | 'form', string>>>;
}

export const noFailure: Failure = {status: 200, entered: {}, errors: {}};

/** The field that an error of the shortener is about. */
const fieldOf: Partial<Record<ErrorCode, FieldName>> = {
  invalid_url: 'url',
  forbidden_url: 'url',
  invalid_custom_url: 'custom_url',
  custom_url_taken: 'custom_url',
  invalid_password: 'password',
  invalid_expiry_date: 'expiry_date',
  invalid_base_domain: 'base_domain',
  unknown_base_domain: 'base_domain',
};

/** What is wrong with a form before the shortener is asked; undefined where nothing is. */
export function checkForm({texts}: DashboardRequest, entered: Entered): Failure | undefined {
  const wrong = wrongFields(entered);
  const sentences: Partial<Record<FieldName, string>> = {
    url: texts.errors.missing_url,
    title: texts.errors.title,
    tags: texts.errors.tags,
    max_visits: texts.errors.max_visits,
  };
  if (wrong.length === 0) return undefined;
  return {status: 400, entered, errors: Object.fromEntries(wrong.map((name) => [name, sentences[name]]))};
}

/** A form that was made for another key of the account: another tab has replaced the key since. */
export function staleForm({texts}: DashboardRequest, entered: Entered = {}): Failure {
  return {status: 403, entered, errors: {form: texts.errors.stale_form}};
}

/**
 * What to say of an error of the shortener.
 *
 * @throws what is no mistake of the user
 */
export function failureOf(request: DashboardRequest, error: unknown, entered: Entered = {}): Failure {
  if (!(error instanceof ShortUrlError) || error.status >= 500 || error.code === 'invalid_api_key') throw error;
  return {status: error.status, entered, errors: {[fieldOf[error.code] ?? 'form']: sentence(request, error)}};
}

function sentence({texts: {errors}, formats}: DashboardRequest, {code, message, retryAfter}: ShortUrlError): string {
  if (code === 'too_many_requests') return errors.too_many_requests(formats.wait(retryAfter ?? 60));
  const known: Partial<Record<ErrorCode, string>> = errors.codes;
  return known[code] ?? message;
}
