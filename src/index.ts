export {type ErrorCode, ShortUrlError} from './errors.ts';
export type {DeniedEvent, LinkEvent, ShortUrlEvents, VisitEvent} from './events.ts';
export type {Health} from './health.ts';
export type {PageLanguage} from './language.ts';
export type {GonePage, Pages, PasswordPage, RenderPage, UnavailablePage} from './http/pages/pages.ts';
export {redactUrl} from './http/redact.ts';
export type {
  AccountStats,
  ActivePage,
  CreateLink,
  CreateResult,
  DayVisits,
  DetailVisits,
  Link,
  LinkFilter,
  LinkPage,
  LinkQuery,
  LinkStats,
  LinkStatus,
  OwnedLink,
  Page,
  RemovedLink,
  UpdateLink,
  VisitedLink,
  VisitStats,
} from './links/link.ts';
export type {RouterLike, ShortUrlOptions} from './options.ts';
export {type ShortUrl, type ShortUrlAccounts, type ShortUrlAdmin, type ShortUrlLinks, shortUrl} from './short-url.ts';
export type {StoreOption} from './store/option.ts';
export type {ApiTrace, RedirectTrace, StoreTrace} from './tracing.ts';
