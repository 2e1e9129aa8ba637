export {type ErrorCode, ShortUrlError} from './errors.ts';
export type {AccountResult} from './accounts/accounts.ts';
export type {ApiKey, CreatedApiKey, CreateKey, KeyScope} from './accounts/keys.ts';
export type {
  AccountEvent,
  ConversionEvent,
  DeniedEvent,
  LinkEvent,
  LinkRefusedEvent,
  ShortUrlEvents,
  VisitEvent,
} from './links/events.ts';
export type {PageLanguage} from './values/language.ts';
export type {
  GonePage,
  Pages,
  PasswordPage,
  PreviewPage,
  RenderPage,
  UnavailablePage,
} from './http/visit/pages/pages.ts';
export {defaultVisitDetails} from './http/visit/visit-details.ts';
export {redactUrl} from './http/redact.ts';
export type {Block} from './links/change/block.ts';
export type {
  AccountComparison,
  AccountCompareQuery,
  AccountInfo,
  AccountPage,
  AccountQuery,
  AccountStats,
  AccountStatsQuery,
  ComparedAccount,
  ListedAccount,
  RecentBlock,
} from './links/account-info.ts';
export type {
  ActivePage,
  AdminLinkPage,
  AdminLinkQuery,
  ComparedLink,
  ComparedNumbers,
  CompareQuery,
  CompareTagsQuery,
  Comparison,
  ComparisonOrder,
  LinkComparison,
  LinkFilter,
  LinkPage,
  LinkQuery,
  ListedLink,
  OwnedLink,
  Page,
  TagComparison,
} from './links/read/listed-links.ts';
export type {
  ConversionStats,
  ConversionValue,
  DayStats,
  DayVisits,
  DetailVisits,
  LinkStats,
  SiteStats,
  StatsQuery,
  TagLinks,
  TagVisits,
  VariantStats,
  VisitStats,
} from './links/stats/statistics.ts';
export type {
  Conversion,
  FoundCustomer,
  IdentifiedCustomer,
  RecordedConversion,
  RecordedRefund,
  Refund,
} from './conversions/conversion.ts';
export type {
  CreateLink,
  CreateOptions,
  CreateResult,
  Link,
  LinkChange,
  LinkIdentifier,
  LinkStatus,
  ManyResult,
  RemovedLink,
  Rule,
  StatusChange,
  UpdateLink,
  UpdateResult,
  Utm,
  VisitedLink,
} from './link/link.ts';
export type {QrCode, QrFormat, QrOptions} from './links/qr/qr-code.ts';
export type {Share, SharedFigure, SharedSubject, ShareOptions} from './links/share/shares.ts';
export type {CheckLink, Rechecked, RecheckOptions} from './links/change/recheck.ts';
export type {CheckResult, CheckVerdict} from './links/change/verdict.ts';
export type {SweepOptions} from './links/change/sweep.ts';
export type {AttributionOptions, RouterLike, ShortUrlOptions, StoreOption} from './shortener/generated/options.ts';
export type {
  ConversionSource,
  Health,
  ShortUrl,
  ShortUrlAccounts,
  ShortUrlAdmin,
  ShortUrlConversions,
  ShortUrlKeys,
  ShortUrlLinks,
} from './shortener/interface.ts';
export {shortUrl} from './shortener/short-url.ts';
export type {HostContext, HostMiddleware} from './http/koa/host-context.ts';
export type {ApiTrace, RedirectTrace, StoreTrace} from './tracing.ts';
