import {createHash} from 'node:crypto';
import type {Link} from '../../index.ts';
import {failureOf, noFailure} from '../forms/failures.ts';
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
  const sent = results.filter(({error}) => error === undefined);
  const links = sent.map(({row}) => newLink(request, row));
  if (links.length === 0) return results;
  // Lines that were changed after the browser went back, and those of the next portion, are another call.
  const call = JSON.stringify([form.get('once'), line, links]);
  const idempotencyKey = createHash('sha256').update(call).digest('base64url');
  await noteAnswers(request, sent, shortener.links.createMany(account, links, {idempotencyKey}));
  return results;
}

/**
 * Notes what became of the rows that were sent, of which each may stand for several changes.
 *
 * @throws the error of a row itself if it is not a mistake of the user
 */
export async function noteAnswers(
  request: DashboardRequest,
  sent: readonly RowResult[],
  answers: AsyncIterable<{readonly link?: Pick<Link, 'shortUrl'> | undefined; readonly error?: unknown}>,
): Promise<void> {
  let index = 0;
  for await (const {link, error} of answers) {
    const result = sent[index++];
    if (result === undefined) break;
    const {errors} = error === undefined ? noFailure : failureOf(request, error, result.row.entered);
    result.error ??= Object.values(errors)[0];
    result.shortUrl ??= link?.shortUrl;
    result.isDone = result.error === undefined;
  }
}
