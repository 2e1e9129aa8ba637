import {type ErrorCode, type Link, ShortUrlError} from '../../index.ts';
import {type Entered, enteredIn, type FieldName, type Loaded, wrongInputs} from './link-fields.ts';
import {inputOf} from './inputs.ts';
import {placesOf, readRules, rearranged, type RuleMistake} from './rules.ts';
import {hasToken} from './protection.ts';
import type {DashboardRequest, Reply} from '../request.ts';

/** The errors of a form, and the values to show in it again. */
export interface Failure {
  readonly status: number;
  readonly entered: Entered;
  /** Messages by field; `form` has the one that belongs to no field. */
  readonly errors: Readonly<Partial<Record<FieldName | 'form', string>>>;
  /** The mistakes of the rules by their rows. */
  readonly rules?: ReadonlyMap<number, RuleMistake>;
  /** Whether the user works on the rules. */
  readonly isAboutRules?: boolean;
  /** The visit limit that the user accepts by sending the form again. */
  readonly acceptedLimit?: string;
}

export const noFailure: Failure = {status: 200, entered: {}, errors: {}};

/** The field to which an error of the shortener belongs. */
const fieldOf: Partial<Record<ErrorCode, FieldName>> = {
  invalid_url: 'url',
  forbidden_url: 'url',
  invalid_custom_url: 'custom_url',
  custom_url_taken: 'custom_url',
  reference_taken: 'reference',
  invalid_password: 'password',
  invalid_expiry_date: 'expiry_date',
  invalid_base_domain: 'base_domain',
  unknown_base_domain: 'base_domain',
};

/** Checks a form before the shortener is called; undefined if it is valid. */
export function checkForm({texts, language}: DashboardRequest, entered: Entered): Failure | undefined {
  const wrong = wrongInputs(entered).map((name) => [name, inputOf(name).mistake(texts)] as const);
  const isMissing = entered.url === '';
  const {mistakes} = readRules(entered.rules ?? [], placesOf(language));
  if (wrong.length === 0 && !isMissing && mistakes.size === 0) return undefined;
  const errors = {...Object.fromEntries(wrong), ...(isMissing && {url: texts.errors.missing_url})};
  return {status: 400, entered, errors, rules: mistakes};
}

/** The form with its rules in another order, or with one more or less, as a button asked; undefined for another button. */
export function rearrangedForm({form}: DashboardRequest, entered: Entered): Failure | undefined {
  const button = form.get('rearrange');
  if (button === undefined) return undefined;
  return {...noFailure, entered: {...entered, rules: rearranged(entered.rules ?? [], button)}, isAboutRules: true};
}

/** The form for a new link as it was sent before a login. A password has to be entered again. */
export function enteredBeforeLogin({texts, query}: DashboardRequest): Failure {
  const errors = query.get('again') === 'password' ? {password: texts.errors.password_again} : {};
  return {...noFailure, entered: enteredIn(query), errors};
}

/** The error of a form that removes the password and enters a new one. */
export function checkPassword({texts, form}: DashboardRequest, entered: Entered): Failure | undefined {
  if (form.get('clear_password') !== 'yes' || !entered.password) return undefined;
  return {status: 400, entered, errors: {password: texts.errors.password_or_none}};
}

/** Asks once before a limit is saved that the visits so far have reached: the link would expire at once. */
export function checkLimit(
  {texts, formats, form}: DashboardRequest,
  entered: Entered,
  loaded: Loaded,
  {totalVisits}: Link,
): Failure | undefined {
  const {max_visits: limit = ''} = entered;
  if (limit === '' || limit === loaded.texts.max_visits || Number(limit) > totalVisits) return undefined;
  if (form.get('accepted_limit') === limit) return undefined;
  const text = texts.errors.limit_reached(formats.count(totalVisits, texts.visits.count));
  return {status: 200, entered, errors: {max_visits: text}, acceptedLimit: limit};
}

/** What a form asks for. */
export interface Submission {
  readonly entered?: Entered;
  /** Finds a mistake before the work. */
  readonly check?: () => Failure | undefined;
  /** Does it, and returns the address to redirect to. */
  readonly work: () => Promise<string>;
  readonly again: (failure: Failure) => Promise<Reply>;
}

/** Does what a form asks for, or shows it again with the mistake. */
export async function submit(request: DashboardRequest, {entered, check, work, again}: Submission): Promise<Reply> {
  const wrong = hasToken(request) ? check?.() : staleForm(request, entered);
  if (wrong !== undefined) return again(wrong);
  try {
    return {location: await work()};
  } catch (error) {
    return again(failureOf(request, error, entered));
  }
}

/** The error of a form with an old token: the API key was replaced after the page was loaded. */
export function staleForm({texts}: DashboardRequest, entered: Entered = {}): Failure {
  return {status: 403, entered, errors: {form: texts.errors.stale_form}};
}

/** @throws the error itself if it is not a mistake of the user */
export function failureOf(request: DashboardRequest, error: unknown, entered: Entered = {}): Failure {
  if (!(error instanceof ShortUrlError) || error.status >= 500 || error.code === 'invalid_api_key') throw error;
  // The error does not say which of several URLs was refused.
  const isOneOfMany =
    Boolean(entered.expired_url) ||
    Boolean(entered.preview_image) ||
    entered.rules?.some(({url}) => url !== '') === true;
  if (error.code === 'forbidden_url' && isOneOfMany) {
    return {status: error.status, entered, errors: {form: request.texts.errors.forbidden_among}};
  }
  return {status: error.status, entered, errors: {[fieldOf[error.code] ?? 'form']: sentence(request, error, entered)}};
}

/** What every site accepts as a short part, unless it is reserved. */
const plainShortPart = /^[\w-](?:[\w.~-]{0,62}[\w-])?$/;

function sentence(
  {texts: {errors, rules: ofRules}, formats}: DashboardRequest,
  {code, message, retryAfter}: ShortUrlError,
  {custom_url: shortPart = '', rules = []}: Entered,
): string {
  if (code === 'invalid_custom_url' && plainShortPart.test(shortPart)) return errors.reserved;
  if (code === 'malformed_parameter' && rules.some(({share, name}) => share || name)) return ofRules.shares;
  if (code === 'too_many_requests') return errors.too_many_requests(formats.wait(retryAfter ?? 60));
  if (code === 'unknown_base_domain') return errors.codes.invalid_base_domain;
  const known: Partial<Record<ErrorCode, string>> = errors.codes;
  return known[code] ?? message;
}
