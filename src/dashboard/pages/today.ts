import {withoutScheme, withQuery} from '../addresses.ts';
import {html, type Html} from '../html.ts';
import {accountLink, card, emptyState, property} from '../parts/pieces.ts';
import {type Columns, numberTable} from '../parts/tables.ts';
import {type Part, partsOf, type ReadPart} from '../list/pager.ts';
import type {DashboardRequest, Handler} from '../request.ts';
import type {RecentBlock} from '../../index.ts';
import {countOf} from '../visits/conversions.ts';
import type {Refused} from '../watch.ts';

/** How many of the newest links and accounts are read. Where all of them are new, there may be more. */
const maxNew = 500;
const newAtOnce = 50;
const maxAccounts = 20;
/** How many accounts and links are shown for a reason of refusals. */
const maxRefused = 3;

/** The operator's page of a day: what is new, what was refused and blocked, and how the store is. */
export const todayPage: Handler = async (request) => {
  const {shortener, texts, formats, root, today, hasConversions} = request;
  const {today: words} = texts;
  const {admin} = shortener;
  const isNew = (date: string): boolean => formats.local(date).date === today;
  const [stats, newLinks, newAccounts, blocks, store] = await Promise.all([
    admin.stats({from: today, until: today}),
    newest(
      async (part) => {
        const {links: items, nextCursor} = await admin.pageLinks(part);
        return {items, nextCursor};
      },
      ({link}) => isNew(link.dateCreated),
    ),
    newest(
      async (part) => {
        const {accounts: items, nextCursor} = await admin.pageAccounts(part);
        return {items, nextCursor};
      },
      ({created}) => isNew(created),
    ),
    admin.recentBlocks(),
    storeLine(request),
  ]);
  const newBlocks = blocks.filter(({at}) => isNew(at));
  const overview = withQuery(`${root}operator`, {from: today, until: today});
  const number = (count: number): string =>
    count === maxNew ? words.orMore(formats.number(count)) : formats.number(count);
  const byAccount = new Map<string, number>();
  for (const {account} of newLinks) byAccount.set(account, (byAccount.get(account) ?? 0) + 1);
  const busiest = Array.from(byAccount).sort(([, one], [, other]) => other - one);
  return {
    title: words.title,
    content: html`<h1>${words.title}</h1>
      ${store}
      <section class="links-card">
        <dl class="links-counts">
          ${property(words.newLinks, html`<a href="${root}operator">${number(newLinks.length)}</a>`)}
          ${property(words.newAccounts, html`<a href="${root}accounts">${number(newAccounts.length)}</a>`)}
          ${property(texts.visits.title, html`<a href="${overview}">${formats.number(stats.totalVisits)}</a>`)}
          ${hasConversions && property(texts.conversions.title, html`<a href="${overview}">${formats.number(countOf(stats.conversions))}</a>`)}
        </dl>
      </section>
      ${
        busiest.length > 0 &&
        card(
          'new-links',
          words.byAccount,
          numberTable(
            'links-values',
            [
              {name: texts.operator.account, cell: ({owner}) => owner},
              {name: words.newLinks, cell: ({count}) => formats.number(count)},
            ],
            await Promise.all(
              busiest
                .slice(0, maxAccounts)
                .map(async ([account, count]) => ({owner: await accountLink(request, account), count})),
            ),
          ),
        )
      }
      ${card('refused', words.refused, await refusals(request))}
      ${card(
        'blocked',
        words.blocked,
        html`${
            newBlocks.length === 0
              ? emptyState(words.noneBlocked)
              : html`<ul class="links-plain-list">
                  ${await Promise.all(newBlocks.map((block) => blockLine(request, block)))}
                </ul>`
          }
          <p><a href="${root}operator?status=blocked">${words.allBlocked}</a></p>`,
      )}`,
  };
};

/** The first items of a list that are new, at most `maxNew`. It is read up to the first one that is not. */
async function newest<Item>(
  read: (part: ReadPart) => Promise<Part<Item>>,
  isNew: (item: Item) => boolean,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const part of partsOf((cursor) => read({limit: newAtOnce, cursor}))) {
    const items = part.items.filter(isNew);
    found.push(...items);
    if (items.length < part.items.length || found.length >= maxNew) break;
  }
  return found;
}

async function storeLine({shortener, texts: {today: words}, formats}: DashboardRequest): Promise<Html> {
  const {isReady, engine, latency, failure, unstoredVisits} = await shortener.health();
  const isWell = isReady && failure === null;
  return html`<div class="links-row ${isWell ? 'links-notice' : 'links-alert links-error'}">
    <p>${isWell ? words.works(engine, formats.number(Math.max(1, Math.round(latency ?? 0)))) : words.fails(engine)}</p>
    ${failure !== null && html`<p><bdi>${failure}</bdi></p>`}
    ${unstoredVisits > 0 && html`<p>${formats.count(unstoredVisits, words.unstored)}</p>`}
  </div>`;
}

async function blockLine(request: DashboardRequest, {account, link, reason}: RecentBlock): Promise<Html> {
  return html`<li>
    ${link ? await whose(request, link) : await whose(request, {account})}
    ${reason !== undefined && html`<span class="links-quiet"><bdi>${reason}</bdi></span>`}
  </li>`;
}

/** A link to the operator's page of an account or of a link. */
async function whose(request: DashboardRequest, {account, shortUrl = ''}: Refused): Promise<Html> {
  if (account !== undefined) return accountLink(request, account);
  const address = withQuery(`${request.root}operator`, {short_url: shortUrl});
  return html`<a href="${address}">${withoutScheme(shortUrl)}</a>`;
}

async function refusals(request: DashboardRequest): Promise<Html> {
  const {texts, formats, watch, now} = request;
  const {today: words} = texts;
  const counts = watch.refusalsOn(now);
  if (counts.length === 0) return emptyState(words.noneRefused, words.byProcess);
  const rows = counts.map(async ({reason, count, refused}) => {
    const most = refused.slice(0, maxRefused).map(async (each) => {
      const number = refused.length > 1 && html` <span class="links-fact">${formats.number(each.count)}</span>`;
      return html`<div>${await whose(request, each.of)}${number}</div>`;
    });
    return {reason: html`${words.reasons[reason]}${await Promise.all(most)}`, count};
  });
  const columns: Columns<Awaited<(typeof rows)[number]>> = [
    {name: texts.account.reason, cell: ({reason}) => reason},
    {name: texts.conversions.number, cell: ({count}) => formats.number(count)},
  ];
  return html`<p class="links-hint">${words.byProcess}</p>
    ${numberTable('links-values', columns, await Promise.all(rows))}`;
}
