import type {RemovedBlock} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {type Failure, submit} from '../forms/failures.ts';
import {confirmation} from '../forms/protection.ts';
import {html, type Html} from '../html.ts';
import {actionForm, alert, doneNotice, emptyState, table} from '../parts/pieces.ts';
import type {DashboardRequest, PageReply, Reply} from '../request.ts';

const maxBlocks = 200;

/** The operator's page of the blocks of removed accounts, which the operator can lift. */
export async function showBlocks(request: DashboardRequest, failure?: Failure): Promise<PageReply> {
  const {shortener, root, texts} = request;
  const blocks: RemovedBlock[] = [];
  for await (const block of shortener.admin.removedBlocks()) if (blocks.push(block) === maxBlocks) break;
  return {
    status: failure?.status,
    title: texts.blocks.title,
    content: html`<p class="links-back"><a href="${root}accounts">← ${texts.accounts.title}</a></p>
      <h1>${texts.blocks.title}</h1>
      <p>${texts.blocks.text}</p>
      ${failure === undefined ? doneNotice(request, {lifted: texts.notices.blockLifted}) : alert(failure.errors.form)}
      ${blocks.length > 0 ? html`<div class="links-list">${blockTable(request, blocks)}</div>` : emptyState(texts.blocks.none, '')}`,
  };
}

function blockTable(request: DashboardRequest, blocks: readonly RemovedBlock[]): Html {
  const {account, blocks: words} = request.texts;
  const rows = blocks.map(
    ({id, reason, removed}) =>
      html`<tr role="row">
        <td role="cell" data-label="${account.reason}"><bdi>${reason ?? '–'}</bdi></td>
        <td role="cell" data-label="${words.removed}">${request.formats.moment(removed)}</td>
        <td role="cell">
          ${actionForm(request, 'lift-block', {block: id}, html`<button class="links-button links-small">${words.lift}</button>`)}
        </td>
      </tr>`,
  );
  return table({'aria-label': words.title}, [account.reason, words.removed, ''], rows);
}

/** Lifts a block. One that was lifted before is lifted too. */
export function liftBlock(request: DashboardRequest): Promise<Reply> {
  const {shortener, form, token, root} = request;
  return submit(request, {
    work: async () => {
      await shortener.admin.liftBlock(form.get('block') ?? '');
      return withQuery(`${root}blocks`, confirmation(token, 'lifted'));
    },
    again: (failure) => showBlocks(request, failure),
  });
}
