import type {AccountStats, LinkStats} from '../../index.ts';
import {type Failure, noFailure} from '../failures.ts';
import {html} from '../html.ts';
import {enteredIn} from '../link-fields.ts';
import {type FoundLinks, findLinks} from '../link-search.ts';
import {apiKeyPanel} from '../parts/api-key.ts';
import {createForm} from '../parts/create-form.ts';
import {linkList} from '../parts/link-list.ts';
import {homeNotice} from '../parts/home-notice.ts';
import {overview} from '../parts/overview.ts';
import type {DashboardRequest, Handler, PageReply} from '../request.ts';

/** A button of a row that could not do its work. */
export interface FailedLink {
  readonly shortUrl: string;
  readonly text: string;
  readonly status: number;
}

/** What came of a form, where the page is shown again because of it. */
export interface HomeOutcome {
  readonly create?: Failure;
  readonly failed?: FailedLink;
}

/** What the first page shows. */
export interface Home extends HomeOutcome {
  readonly stats: AccountStats;
  readonly found: FoundLinks;
  /** Of each link that was found, by its short URL. */
  readonly visits: ReadonlyMap<string, LinkStats>;
}

/** The first page: a form for new links, the visits of all, and the list of links. */
export const homePage: Handler = (request) => showHome(request);

export async function showHome(request: DashboardRequest, outcome: HomeOutcome = {}): Promise<PageReply> {
  const {texts, query, form} = request;
  const home = {...(await readHome(request)), ...outcome};
  const isAgain = outcome.create !== undefined || outcome.failed !== undefined;
  // A login may lead back here with what was typed before it.
  const typed = {...noFailure, entered: form.size > 0 ? {} : enteredIn(query)};
  return {
    status: outcome.create?.status ?? outcome.failed?.status,
    title: texts.home.title,
    content: html`<h1>${texts.home.title}</h1>
      ${isAgain ? undefined : homeNotice(request, home)}
      <div class="links-columns">
        <div>${createForm(request, outcome.create ?? typed)}${apiKeyPanel(request, {more: true})}</div>
        ${overview(request, home.stats)}
      </div>
      ${linkList(request, home)}`,
  };
}

/** All of it is read at once, and none of it takes longer for an account with more links. */
async function readHome(request: DashboardRequest): Promise<Home> {
  const {shortener, account} = request;
  const [stats, found] = await Promise.all([shortener.accounts.stats(account), findLinks(request)]);
  const visits = await Promise.all(
    found.links.map(async ({shortUrl}) => {
      const each = await shortener.links.stats(account, shortUrl).catch(ignoreRemoved);
      return each === undefined ? [] : [[shortUrl, each] as const];
    }),
  );
  return {stats, found, visits: new Map(visits.flat())};
}

/** A link that was removed while the list was read has no visits to show. */
function ignoreRemoved(error: unknown): undefined {
  if ((error as {code?: unknown} | undefined)?.code === 'unknown_short_url') return undefined;
  throw error;
}
