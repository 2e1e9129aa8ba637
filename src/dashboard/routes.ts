import type {Fields} from '../form.ts';
import {replaceKey} from './actions/key.ts';
import {createLink} from './actions/create.ts';
import {removeLink, switchLink, viewOf} from './actions/links.ts';
import {blockLink} from './actions/block.ts';
import {updateLink} from './actions/update.ts';
import {linkAddress} from './addresses.ts';
import {typedQuery} from './link-fields.ts';
import {accountsPage} from './pages/accounts.ts';
import {apiPage} from './pages/api.ts';
import {homePage} from './pages/home.ts';
import {linkPage} from './pages/link.ts';
import {operatorPage} from './pages/operator.ts';
import {openApiFile, schemaFile} from './reference/files.ts';
import {errorsPage, operationPage, referencePage} from './reference/pages.ts';
import {qrPng, qrSvg} from './qr-code.ts';
import type {Handler} from './request.ts';

/** What answers at a path. */
export interface Route {
  readonly handle: Handler;
  /** A form is posted to it, and nothing is there to look at. */
  readonly isAction?: boolean;
  readonly isForAdmin?: boolean;
  /** The page to come back to after login, relative to the folder of the action. */
  readonly comeBack?: (form: Fields, query: URLSearchParams) => string;
}

type ComeBack = NonNullable<Route['comeBack']>;

const action = (handle: Handler, comeBack: ComeBack): Route => ({handle, comeBack, isAction: true});
const toLink: ComeBack = (form) => linkAddress('./', form.get('short_url') ?? '');
const toOrigin: ComeBack = (form, query) => (form.get('from') === 'link' ? toLink(form, query) : `./${viewOf(query)}`);

const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['', {handle: homePage}],
  ['link', {handle: linkPage}],
  ['qr.svg', {handle: qrSvg}],
  ['qr.png', {handle: qrPng}],
  ['api', {handle: apiPage}],
  ['reference/', {handle: referencePage}],
  ['reference/errors', {handle: errorsPage}],
  ['openapi.json', {handle: openApiFile}],
  ['short-url.xsd', {handle: schemaFile}],
  ['operator', {handle: operatorPage, isForAdmin: true}],
  ['accounts', {handle: accountsPage, isForAdmin: true}],

  ['create', action(createLink, (form) => `./${typedQuery(form)}`)],
  ['update', action(updateLink, toLink)],
  ['disable', action(switchLink, toOrigin)],
  ['enable', action(switchLink, toOrigin)],
  ['remove', action(removeLink, toLink)],
  ['key', action(replaceKey, () => './api')],
  ['block', {...action(blockLink, () => './operator'), isForAdmin: true}],
  ['unblock', {...action(blockLink, () => './operator'), isForAdmin: true}],
]);

const operation: Route = {handle: operationPage};

/** What answers at a path below the dashboard's. */
export function routeOf(path: string): Route | undefined {
  return routes.get(path) ?? (/^reference\/[\w-]+$/.test(path) ? operation : undefined);
}
