import {createHash} from 'node:crypto';
import {type Failure, failureOf, noFailure, staleForm} from '../forms/failures.ts';
import {filled} from '../forms/link-fields.ts';
import {hasToken} from '../forms/protection.ts';
import {type LinkRow, maxRows, readRows} from '../forms/rows.ts';
import {type RowResult, showMany, showResults} from '../pages/many.ts';
import type {DashboardRequest, Reply} from '../request.ts';

/** Creates a link for each line of a text or of a file. */
export async function createMany(request: DashboardRequest): Promise<Reply> {
  const {texts, form} = request;
  const file = form.get('file') ?? '';
  const isFile = file.trim() !== '';
  const text = isFile ? file : (form.get('lines') ?? '');
  const entered = {base_domain: form.get('base_domain') ?? ''};
  const refuse = (error: string): Reply => showMany(request, text, {status: 400, entered, errors: {form: error}});
  if (!hasToken(request)) return showMany(request, text, staleForm(request, entered));
  const rows = await readRows(text, isFile);
  if (rows === undefined) return refuse(texts.many.unreadable);
  if (rows.length === 0) return refuse(texts.many.none);
  if (rows.length > maxRows) return refuse(texts.many.tooMany);
  return showResults(request, await createAll(request, rows));
}

async function createAll(request: DashboardRequest, rows: readonly LinkRow[]): Promise<RowResult[]> {
  const {shortener, account, form} = request;
  const links = rows.map(({url, customUrl, title}) => ({
    url,
    customUrl: filled(customUrl),
    title: filled(title),
    baseDomain: filled(form.get('base_domain')),
  }));
  // Lines that were changed after the browser went back are another call.
  const call = JSON.stringify([form.get('once'), links]);
  const idempotencyKey = createHash('sha256').update(call).digest('base64url');
  const results: RowResult[] = [];
  for await (const {link, error} of shortener.links.createMany(account, links, {idempotencyKey})) {
    const row = rows[results.length];
    if (row === undefined) break;
    results.push({row, link, error: error && messageOf(request, error, row)});
  }
  return results;
}

/** @throws the error itself if it is not a mistake of the user */
function messageOf(request: DashboardRequest, error: unknown, {url, customUrl}: LinkRow): string | undefined {
  const {errors} = request.texts;
  if (url === '') return errors.missing_url;
  const failure: Failure = failureOf(request, error, {...noFailure.entered, custom_url: customUrl});
  return (error as {code?: unknown}).code === 'malformed_parameter' ? errors.title : Object.values(failure.errors)[0];
}
