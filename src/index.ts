export {type ErrorCode, ShortUrlError} from './errors.ts';
export type {DeniedEvent, LinkEvent, ShortUrlEvents, VisitEvent} from './events.ts';
export type {PageLanguage} from './http/pages/language.ts';
export type {GonePage, Pages, PasswordPage, RenderPage, UnavailablePage} from './http/pages/pages.ts';
export {redactUrl} from './http/redact.ts';
export type {ActivePage, CreateLink, Link, LinkStats, LinkStatus, Page, VisitedLink} from './links/link.ts';
export type {RouterLike, ShortUrlOptions} from './options.ts';
export {type ShortUrl, type ShortUrlAccounts, type ShortUrlLinks, shortUrl} from './short-url.ts';
export type {StoreOption} from './store/option.ts';
