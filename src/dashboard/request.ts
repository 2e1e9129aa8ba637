import type {Fields} from '../form.ts';
import type {PageLanguage, ShortUrl} from '../index.ts';
import type {Formats} from './formats.ts';
import type {Html} from './html.ts';
import type {Texts} from './texts/texts.ts';

/** What a page or an action is told of a request, by somebody who is logged in. */
export interface DashboardRequest {
  readonly shortener: ShortUrl;
  readonly account: string;
  readonly apiKey: string;
  readonly isAdmin: boolean;
  /** What every form has to bring back. */
  readonly token: string;
  readonly language: PageLanguage;
  readonly texts: Texts;
  readonly formats: Formats;
  /** The path below the one of the dashboard, without a slash in front: empty for its first page. */
  readonly path: string;
  /** Leads from this page to the first one: `./` or `../`. Every address within the dashboard begins with it. */
  readonly root: string;
  readonly query: URLSearchParams;
  /** What was posted; empty for a GET. */
  readonly form: Fields;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A page, as the route makes it. */
export interface PageReply {
  readonly status?: number | undefined;
  readonly title: string;
  readonly content: Html;
}

/** Sends the browser on with a GET. */
export interface RedirectReply {
  /** Relative to the page, or an address of the host. */
  readonly location: string;
}

/** Anything else. */
export interface FileReply {
  readonly type: string;
  readonly body: string | Buffer;
  /** How long the browser may keep it, in seconds. */
  readonly maxAge: number;
}

export type Reply = PageReply | RedirectReply | FileReply;

export type Handler = (request: DashboardRequest) => Promise<Reply> | Reply;

/** There is no such thing, or not for this visitor: one answer for both. */
export class NotFound extends Error {
  override readonly name = 'NotFound';
}
