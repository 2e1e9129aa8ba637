import {createHash} from 'node:crypto';
import {type Failure, failureOf} from '../forms/failures.ts';
import type {DashboardRequest, Reply} from '../request.ts';
import {mistakeIn, newLink} from './new-link.ts';
import {nextPortion, type RowResult} from './portion.ts';
import {columnMistake, showPreview} from './preview.ts';
import {withSheet} from './read.ts';
import {showResults} from './results.ts';
import type {LinkRow} from './rows.ts';

/** Creates the links of the next rows of a table. The same form, sent twice, creates them once. */
export function createMany(request: DashboardRequest): Promise<Reply> {
  return withSheet(request, async (sheet) => {
    const error = columnMistake(request, sheet, false);
    if (error !== undefined) return showPreview(request, sheet, {error});
    const {rows, rest} = await nextPortion(request, sheet);
    const results = await createAll(request, sheet.line, rows);
    return showResults(request, {results, rest, action: 'create-many', done: request.texts.many.made});
  });
}

async function createAll(request: DashboardRequest, line: number, rows: readonly LinkRow[]): Promise<RowResult[]> {
  const {shortener, account, form} = request;
  const results = rows.map((row): RowResult => ({row, isDone: false, error: mistakeIn(request, row)}));
  const sent = Array.from(results.entries()).filter(([, {error}]) => error === undefined);
  const links = sent.map(([, {row}]) => newLink(request, row));
  if (links.length === 0) return results;
  // Lines that were changed after the browser went back, and those of the next portion, are another call.
  const call = JSON.stringify([form.get('once'), line, links]);
  const idempotencyKey = createHash('sha256').update(call).digest('base64url');
  let done = 0;
  for await (const {link, error} of shortener.links.createMany(account, links, {idempotencyKey})) {
    const [index, result] = sent[done] ?? [];
    if (index === undefined || result === undefined) break;
    results[index] = {
      ...result,
      shortUrl: link?.shortUrl,
      isDone: link !== undefined,
      error: error && messageOf(request, error, result.row),
    };
    done += 1;
  }
  return results;
}

/** @throws the error itself if it is not a mistake of the user */
export function messageOf(request: DashboardRequest, error: unknown, {entered}: LinkRow): string | undefined {
  const failure: Failure = failureOf(request, error, entered);
  return Object.values(failure.errors)[0];
}
