import type {AccountStats, LinkStats} from '../../index.ts';
import {enteredBeforeLogin, type Failure, noFailure} from '../failures.ts';
import {html} from '../html.ts';
import {type FoundLinks, findLinks} from '../link-search.ts';
import {apiKeyPanel} from '../parts/api-key.ts';
import {createForm} from '../parts/create-form.ts';
import {linkList} from '../parts/link-list.ts';
import {homeNotice} from '../parts/home-notice.ts';
import {overview} from '../parts/overview.ts';
import type {DashboardRequest, Handler, PageReply} from '../request.ts';

/** The error of a button in a row of the list. */
export interface FailedLink {
  readonly shortUrl: string;
  readonly text: string;
  readonly status: number;
}

/** The error of a form, if the page is shown again because of one. */
export interface HomeOutcome {
  readonly create?: Failure;
  readonly failed?: FailedLink;
}

/** The data of the home page. */
export interface Home extends HomeOutcome {
  readonly stats: AccountStats;
  readonly found: FoundLinks;
  /** The visits of each link in the list, by short URL. */
  readonly visits: ReadonlyMap<string, LinkStats>;
}

/** The home page: a form for new links, the visits of all links, and the list of links. */
export const homePage: Handler = (request) => showHome(request);

export async function showHome(request: DashboardRequest, outcome: HomeOutcome = {}): Promise<PageReply> {
  const {texts, form} = request;
  const home = {...(await readHome(request)), ...outcome};
  const isAgain = outcome.create !== undefined || outcome.failed !== undefined;
  const create = outcome.create ?? (form.size > 0 ? noFailure : enteredBeforeLogin(request));
  return {
    status: outcome.create?.status ?? outcome.failed?.status,
    title: texts.home.title,
    content: html`<h1>${texts.home.title}</h1>
      ${isAgain ? undefined : homeNotice(request, home)}
      <div class="links-columns">
        <div>${createForm(request, create)}${apiKeyPanel(request, {more: true})}</div>
        ${overview(request, home.stats)}
      </div>
      ${linkList(request, home)}`,
  };
}

/** Reads in parallel. The time does not depend on the number of links. */
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

/** A link may be removed after the list was read; it is shown without visits then. */
function ignoreRemoved(error: unknown): undefined {
  if ((error as {code?: unknown} | undefined)?.code === 'unknown_short_url') return undefined;
  throw error;
}
