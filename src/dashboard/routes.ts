import {linkAddress} from './addresses.ts';
import {enteredQuery} from './forms/link-fields.ts';
import {viewOf} from './list/search.ts';
import {changeAccount, showAccount} from './pages/account.ts';
import {accountsPage} from './pages/accounts.ts';
import {createKey, replaceKey, revokeKey, showApi} from './pages/api.ts';
import {compareAccounts} from './pages/compare-accounts.ts';
import {comparePage} from './pages/compare.ts';
import {createLink, showHome} from './pages/home.ts';
import {removeLink, showLink, switchLink, updateLink} from './pages/link.ts';
import {blockLink, blockLinks, showOperator} from './pages/operator.ts';
import {changeMany} from './many/change.ts';
import {createMany} from './many/create.ts';
import {readMany, showMany} from './many/read.ts';
import {openApiFile, schemaFile} from './files/descriptions.ts';
import {qrPng, qrSvg} from './files/qr-code.ts';
import {qrZip, showTagCodes} from './pages/qr-codes.ts';
import type {DashboardRequest, Handler} from './request.ts';
import {changeSelection} from './pages/selection.ts';
import {share, showShares, unshare} from './pages/shared.ts';
import {tagsPage} from './pages/tags.ts';
import {todayPage} from './pages/today.ts';
import {accountsCsv, conversionsCsv, daysCsv, detailsCsv, linksCsv, variantsCsv} from './visits/csv.ts';

export interface Route {
  readonly handle: Handler;
  /** Whether the path accepts a posted form and has no page. */
  readonly isAction?: boolean;
  /** Whether it may take long, so that those of an account take turns. */
  readonly isLong?: boolean;
  /** Whether the form of the action has a file. */
  readonly hasFile?: boolean;
  readonly isForAdmin?: boolean;
  /** Whether the path exists only if the pages show the API. */
  readonly isForApi?: boolean;
  /** Whether the path exists only if users may share numbers. */
  readonly isForShares?: boolean;
  /** The page to return to after login, relative to the folder of the action. */
  readonly returnTo?: (form: DashboardRequest['form'], query: URLSearchParams) => string;
}

type ReturnTo = NonNullable<Route['returnTo']>;

const action = (handle: Handler, returnTo: ReturnTo): Route => ({handle, returnTo, isAction: true});
const toView: ReturnTo = (_, query) => `./${viewOf(query)}`;
const toLink: ReturnTo = (form) => linkAddress('./', form.get('short_url') ?? '');
const toOrigin: ReturnTo = (form, query) => (form.get('from') === 'link' ? toLink(form, query) : toView(form, query));

const aboutMany = (handle: Handler): Route => ({...action(handle, () => './many'), isLong: true, hasFile: true});

/** The pages and actions, by their paths below the dashboard. */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['', {handle: showHome}],
  ['link', {handle: showLink}],
  ['many', {handle: (request) => showMany(request)}],
  ['tags', {handle: tagsPage}],
  ['compare', {handle: comparePage}],
  ['shares', {handle: showShares, isForShares: true}],
  ['links.csv', {handle: linksCsv, isLong: true}],
  ['visits.csv', {handle: daysCsv}],
  ['conversions.csv', {handle: conversionsCsv}],
  ['details.csv', {handle: detailsCsv}],
  ['variants.csv', {handle: variantsCsv}],
  ['qr.svg', {handle: qrSvg}],
  ['qr.png', {handle: qrPng}],
  ['qr-codes', {handle: showTagCodes}],
  ['api', {handle: showApi, isForApi: true}],
  ['openapi.json', {handle: openApiFile, isForApi: true}],
  ['short-url.xsd', {handle: schemaFile, isForApi: true}],
  ['today', {handle: todayPage, isForAdmin: true}],
  ['operator', {handle: showOperator, isForAdmin: true}],
  ['accounts', {handle: accountsPage, isForAdmin: true}],
  ['account', {handle: showAccount, isForAdmin: true}],
  ['compare-accounts', {handle: compareAccounts, isForAdmin: true}],
  ['accounts.csv', {handle: accountsCsv, isForAdmin: true, isLong: true}],

  ['create', action(createLink, (form) => `./${enteredQuery(form)}`)],
  ['read-many', aboutMany(readMany)],
  ['create-many', aboutMany(createMany)],
  ['change-many', aboutMany(changeMany)],
  ['update', action(updateLink, toLink)],
  ['disable', action(switchLink, toOrigin)],
  ['enable', action(switchLink, toOrigin)],
  ['remove', action(removeLink, toLink)],
  ['selection', {...action(changeSelection, toView), isLong: true}],
  ['share', {...action(share, () => './shares'), isForShares: true}],
  ['unshare', {...action(unshare, () => './shares'), isForShares: true}],
  ['qr.zip', {...action(qrZip, () => './'), isLong: true}],
  ['key', {...action(replaceKey, () => './api'), isForApi: true}],
  ['create-key', {...action(createKey, () => './api'), isForApi: true}],
  ['revoke-key', {...action(revokeKey, () => './api'), isForApi: true}],
  ['block', {...action(blockLink, () => './operator'), isForAdmin: true}],
  ['block-links', {...action(blockLinks, () => './operator'), isForAdmin: true}],
  ['block-account', {...action(changeAccount, () => './accounts'), isForAdmin: true}],
  ['unblock-account', {...action(changeAccount, () => './accounts'), isForAdmin: true}],
  ['remove-account', {...action(changeAccount, () => './accounts'), isForAdmin: true}],
  ['unblock', {...action(blockLink, () => './operator'), isForAdmin: true}],
]);
