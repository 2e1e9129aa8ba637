import type {Share, SharedFigure, ShortUrl, VisitStats} from '../../index.ts';
import {withoutScheme, withQuery} from '../addresses.ts';
import {type Failure, submit} from '../forms/failures.ts';
import {confirmation, confirmedIn} from '../forms/protection.ts';
import {html, type Html} from '../html.ts';
import {actionForm, alert, backLink, copyIcon, emptyState, notice} from '../parts/pieces.ts';
import {figureName, figures, shareForm, subjectIn} from '../parts/share.ts';
import type {DashboardRequest, PageReply, Reply} from '../request.ts';
import {visitsChart} from '../visits/chart.ts';
import {periodOf} from '../visits/span.ts';
import {spanChooser} from '../visits/span-chooser.ts';
import {readStatistics, spanCounts} from '../visits/statistics.ts';

type SharedPage = NonNullable<Awaited<ReturnType<ShortUrl['forDashboard']['shared']>>>;

/** What the account shares, with a form that ends each. */
export async function showShares(request: DashboardRequest, failure?: Failure): Promise<PageReply> {
  const {texts, shortener, account, query, form} = request;
  const words = texts.share;
  const shares = (await shortener.links.shares(account)).toReversed();
  const [error] = Object.values(failure?.errors ?? {});
  const made = failure === undefined && confirmedIn(request) === 'shared' ? shares[0] : undefined;
  const subject = subjectIn(failure === undefined ? query : form);
  return {
    status: failure?.status,
    title: words.title,
    content: html`${backLink(request)}
      <h1>${words.title}</h1>
      ${made && notice(html`<p>${words.made} <a class="links-strong" href="${made.url}">${withoutScheme(made.url)}</a></p>`)}
      ${error !== undefined && alert(error)} ${subject && shareForm(request, subject, failure !== undefined)}
      ${
        shares.length === 0
          ? emptyState(words.none)
          : html`<div class="links-card">
              <ul class="links-keys" id="links-shares">
                ${shares.map((each) => html`<li>${shareItem(request, each)}</li>`)}
              </ul>
            </div>`
      }`,
  };
}

function shareItem(request: DashboardRequest, shared: Share): Html {
  const {id, url, show, until} = shared;
  const {texts, formats} = request;
  const name = subjectName(request, shared);
  const facts = [
    show.map((figure) => figureName(texts, figure)).join(', '),
    ...(until === null ? [] : [texts.link.until(formats.limit(until))]),
  ];
  return html`<p class="links-row">
      <span class="links-strong">${name}</span> ${facts.map((fact) => html`<span class="links-fact">${fact}</span>`)}
    </p>
    <p class="links-short-line">
      <a class="links-short" href="${url}">${withoutScheme(url)}</a> ${copyIcon(request, url)}
    </p>
    ${actionForm(request, 'unshare', {id}, html`<button class="links-button links-small links-secondary">${texts.share.end}</button>`)}`;
}

function subjectName({texts}: DashboardRequest, {shortUrl, tag}: Partial<Share>): Html {
  if (shortUrl !== undefined) return html`<bdi>${withoutScheme(shortUrl)}</bdi>`;
  return html`${texts.list.tag}: <bdi>${tag}</bdi>`;
}

export async function share(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, texts, token, root} = request;
  const subject = subjectIn(form);
  const show = figures(request).filter((figure) => form.get(`show_${figure}`) === 'yes');
  return submit(request, {
    check: () => (show.length > 0 ? undefined : {status: 400, entered: {}, errors: {form: texts.share.nothing}}),
    work: async () => {
      const {short_url: shortUrl, tag = ''} = subject ?? {};
      const until = form.get('until') ?? '';
      await shortener.links.share(account, shortUrl ?? {tag}, {show, ...(until !== '' && {until})});
      return withQuery(`${root}shares`, confirmation(token, 'shared'));
    },
    again: (failure) => showShares(request, failure),
  });
}

/** What is not shared any more stays so. */
export async function unshare(request: DashboardRequest): Promise<Reply> {
  const {shortener, account, form, root} = request;
  return submit(request, {
    work: async () => {
      await shortener.links.unshare(account, form.get('id') ?? '');
      return `${root}shares`;
    },
    again: (failure) => showShares(request, failure),
  });
}

/** A page that everybody with its address may read. The account of the request is the one that shares it. */
export async function showShared(request: DashboardRequest, page: SharedPage): Promise<PageReply> {
  const {texts, formats, shortener, account, path} = request;
  const {shortUrl, tag, show} = page;
  let moreLinks: number | undefined;
  const read = await readStatistics(
    request,
    async (query) => {
      if (shortUrl !== undefined) return only(show, await shortener.links.stats(account, shortUrl, query));
      const stats = await shortener.accounts.stats(account, {tag, ...query});
      if (stats.isPartial) moreLinks = stats.links;
      return only(show, stats);
    },
    true,
  );
  const name = subjectName(request, page);
  return {
    status: read.span.isRefused ? 400 : undefined,
    title: tag ?? withoutScheme(shortUrl ?? ''),
    content: html`<h1>
        ${shortUrl === undefined ? name : html`<a class="links-short" href="${shortUrl}">${name}</a>`}
      </h1>
      <section class="links-card" id="links-visits" aria-label="${texts.visits.title}">
        ${spanChooser(request, read.span, {path, parameters: {}})}
        ${moreLinks !== undefined && html`<p class="links-hint">${formats.count(moreLinks, texts.list.atLeast)}</p>`}
        ${spanCounts(request, read, {show})}
        ${show.includes('visits') && visitsChart(request, read.byDay, periodOf(request, read.span))}
      </section>`,
  };
}

/** The statistics without the numbers that are not shared. */
function only<Read extends VisitStats>(show: readonly SharedFigure[], stats: Read): Read {
  const [visits, conversions, amounts] = (['visits', 'conversions', 'amounts'] as const).map((each) =>
    show.includes(each),
  );
  return {
    ...stats,
    days: stats.days.map((day) => ({
      ...day,
      visits: visits ? day.visits : 0,
      conversions: conversions ? day.conversions : 0,
      values: amounts ? day.values : [],
    })),
    conversions: conversions ? stats.conversions : [],
  };
}
