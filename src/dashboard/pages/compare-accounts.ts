import type {AccountComparison} from '../../index.ts';
import {withQuery} from '../addresses.ts';
import {csvLink} from '../files/csv-file.ts';
import {html, type Html} from '../html.ts';
import {unlessTooMany} from '../list/order.ts';
import {pager, placeIn, readPage} from '../list/pager.ts';
import {accountLink, chooser} from '../parts/pieces.ts';
import type {DashboardRequest, Handler} from '../request.ts';
import {comparisonIn} from '../visits/comparison.ts';
import {conversionTable, currenciesOf} from '../visits/conversions.ts';
import {rankedTable} from '../visits/ranked.ts';
import {spanParameters} from '../visits/span.ts';
import {spanChooser} from '../visits/span-chooser.ts';

const pageLength = 50;

const path = 'compare-accounts';

/** The operator's page with the accounts in the order of what their links had in a span. */
export const compareAccounts: Handler = async (request) => {
  const {texts, shortener, query, root, hasConversions} = request;
  const {span, order = hasConversions ? 'value' : 'visits', currency: asked} = comparisonIn(request);
  const parameters = {order, currency: asked};
  const page = await unlessTooMany(
    readPage(placeIn(query), pageLength, async (part) => {
      const {accounts, ...read} = await shortener.admin.compareAccounts({...span.query, ...parameters, ...part});
      return {...read, items: accounts};
    }),
  );
  const addressOf = (changes: Readonly<Record<string, string>>): string =>
    withQuery(root + path, {...spanParameters(span), ...parameters, ...changes});
  const shown = async ({items, first}: NonNullable<typeof page>): Promise<Html> => {
    const {currency, conversions, visits} = first;
    const rows = items.map(async (each) => ({...each, name: await accountLink(request, each.account)}));
    const ranking = {title: texts.operator.account, order, currency, addressOf: (by: string) => addressOf({order: by})};
    return html`${currencyChooser(request, first, addressOf)}
      ${conversionTable(request, hasConversions ? conversions : [], {visits, currency})}
      <p>${csvLink(request, withQuery(`${root}accounts.csv`, {...spanParameters(span), ...parameters}))}</p>
      ${rankedTable(request, ranking, await Promise.all(rows))}`;
  };
  return {
    status: span.isRefused ? 400 : undefined,
    title: texts.accounts.compare,
    content: html`<p class="links-back"><a href="${root}accounts">← ${texts.tabs.accounts}</a></p>
      <h1>${texts.accounts.compare}</h1>
      <section class="links-card" id="links-visits" aria-label="${texts.accounts.compare}">
        ${spanChooser(request, span, {path, parameters})}
        ${page ? await shown(page) : html`<p>${texts.accounts.tooMany}</p>`}
      </section>
      ${page && pager(texts, page, {address: root + path, parameters: {...parameters, ...spanParameters(span)}, label: texts.list.pages})}`,
  };
};

function currencyChooser(
  {texts, hasConversions}: DashboardRequest,
  {conversions, currency}: AccountComparison | Omit<AccountComparison, 'accounts'>,
  addressOf: (changes: Readonly<Record<string, string>>) => string,
): Html | false {
  const all = currenciesOf(conversions);
  if (!hasConversions || all.length < 2) return false;
  return chooser(
    texts.compare.currency,
    all.map((each) => ({text: each, href: addressOf({currency: each}), isCurrent: each === currency})),
  );
}
