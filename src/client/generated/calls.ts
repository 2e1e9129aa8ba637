/* Made by `npm run generate` from the tables of operations. Do not edit. */
import type {CallOptions} from '../options.ts';

/** A client of the API, with a method for each operation. */
export interface Client {
  /** Creates a new short URL, even if the long URL already has one. Only `url` is required. It is active at once. */
  readonly create: (parameters: CreateParameters, options?: CallOptions) => Promise<CreateAnswer>;
  /** Takes a short URL out of service: visitors get 410. A disabled short URL stays disabled. */
  readonly disable: (parameters: DisableParameters, options?: CallOptions) => Promise<DisableAnswer>;
  /** Makes a disabled short URL active again. An active short URL stays active. */
  readonly enable: (parameters: EnableParameters, options?: CallOptions) => Promise<EnableAnswer>;
  /** Returns the fields of a short URL and its visits. Name it by `short_url` or by `reference`. */
  readonly info: (parameters: InfoParameters, options?: CallOptions) => Promise<InfoAnswer>;
  /**
   * Returns the active short URLs, the oldest first: all of them without parameters, or a page with `limit` and
   * `cursor`. If the store fails while all are sent, the connection closes before the answer is complete.
   */
  readonly listActiveUrls: (parameters?: ListActiveUrlsParameters, options?: CallOptions) => Promise<ListActiveUrlsAnswer>;
  /**
   * Changes the given fields and keeps the others. `null` clears a field, as `clear` does. After the answer all
   * visitors get the changed short URL.
   */
  readonly update: (parameters: UpdateParameters, options?: CallOptions) => Promise<UpdateAnswer>;
  /** Removes a short URL for good: visitors get 410, and only this account can create its short part again. */
  readonly remove: (parameters: RemoveParameters, options?: CallOptions) => Promise<RemoveAnswer>;
  /**
   * Returns all fields of a short URL, its visits by day, its details and its conversions. `from` and `until` restrict
   * the days and the totals.
   */
  readonly stats: (parameters: StatsParameters, options?: CallOptions) => Promise<StatsAnswer>;
  /** Returns the picture itself. Browsers may keep it for a day. Errors are answered as those of all calls. */
  readonly qr: (parameters: QrParameters, options?: CallOptions) => Promise<Blob>;
  /**
   * Returns a page of short URLs with all fields and their conversions, by default the newest 100. Every parameter is
   * optional.
   */
  readonly listUrls: (parameters?: ListUrlsParameters, options?: CallOptions) => Promise<ListUrlsAnswer>;
  /**
   * Returns the visits of all short URLs of the account by day, their details and their conversions, with those of
   * removed ones; or the sums of those with a status, a tag or words. `from` and `until` restrict the days and the
   * totals.
   */
  readonly accountStats: (parameters?: AccountStatsParameters, options?: CallOptions) => Promise<AccountStatsAnswer>;
  /** Returns all tags of the account, the most used first. */
  readonly tags: (parameters?: Readonly<Record<string, never>>, options?: CallOptions) => Promise<TagsAnswer>;
  /**
   * Returns a page of short URLs by what they had in a span of days: visits, conversions and their values. Every
   * parameter is optional.
   */
  readonly compare: (parameters?: CompareParameters, options?: CallOptions) => Promise<CompareAnswer>;
  /**
   * Returns a page of tags, or of sources, media or campaigns, by what their short URLs had in a span of days. A short
   * URL with several tags counts for each. Every parameter is optional.
   */
  readonly compareTags: (parameters?: CompareTagsParameters, options?: CallOptions) => Promise<CompareTagsAnswer>;
  /** Creates 1 to 1,000 short URLs, each as `create` does. An error of one does not affect the others. */
  readonly createMany: (parameters: CreateManyParameters, options?: CallOptions) => Promise<CreateManyAnswer>;
  /**
   * Makes 1 to 1,000 changes, each as `update` does, or of the `status`. Changes of the same short URL are made in
   * order. An error of one does not affect the others.
   */
  readonly updateMany: (parameters: UpdateManyParameters, options?: CallOptions) => Promise<UpdateManyAnswer>;
  /**
   * Records what a customer has done, such as an order, for the link that brought this person: that of `via`, and
   * otherwise that of `customer`, who is identified in the same call. One of both is needed. The same `name` and `id`
   * count once in 400 days. Without such a link of the account, `link` is null.
   */
  readonly recordConversion: (parameters: RecordConversionParameters, options?: CallOptions) => Promise<RecordConversionAnswer>;
  /**
   * Records that a conversion which the account has recorded was refunded, in whole or in part. The same `refund`
   * counts once. Without such a conversion in the last 400 days, `link` and `value` are null.
   */
  readonly refundConversion: (parameters: RefundConversionParameters, options?: CallOptions) => Promise<RefundConversionAnswer>;
  /**
   * Remembers the link of `via` for `customer`, so that later conversions need no `via`. The first link stays. How long
   * it is kept after the last use, the site decides. Without such a link of the account, `link` is null.
   */
  readonly identifyCustomer: (parameters: IdentifyCustomerParameters, options?: CallOptions) => Promise<IdentifyCustomerAnswer>;
  /** Forgets which link brought a customer. What was counted stays. */
  readonly forgetCustomer: (parameters: ForgetCustomerParameters, options?: CallOptions) => Promise<ForgetCustomerAnswer>;
  /**
   * Gives up a name, so that another one can be among the 8 of the account. What was counted stays in the statistics of
   * short URLs and of the account. Lists and comparisons leave it out. A conversion that is recorded with the name adds
   * it again.
   */
  readonly forgetConversionName: (parameters: ForgetConversionNameParameters, options?: CallOptions) => Promise<ForgetConversionNameAnswer>;
  /** Lists the labelled keys of the account, without the key of the registration. */
  readonly keys: (parameters?: Readonly<Record<string, never>>, options?: CallOptions) => Promise<KeysAnswer>;
  /** Creates a key with a label and a scope, at most 20 for each account. */
  readonly createKey: (parameters: CreateKeyParameters, options?: CallOptions) => Promise<CreateKeyAnswer>;
  /** Makes a labelled key invalid at once. */
  readonly revokeKey: (parameters: RevokeKeyParameters, options?: CallOptions) => Promise<RevokeKeyAnswer>;
}

/** The main fields of a link. */
export interface ShortRecord {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part: string;
  /** The long URL, exactly as it was given. */
  readonly original_url: string;
  /** When the link was created. */
  readonly date_created: string;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed: string | null;
  /** The number of counted visits. */
  readonly total_visits: number;
  /** Whether visitors must enter a password. */
  readonly has_password: boolean;
  /** The last second in which the link works; null if it does not expire. */
  readonly expiry_date: string | null;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled';
}

/** An item of a list. */
export interface Rule {
  /** Detected from the `User-Agent`. */
  readonly device?: 'ios' | 'android' | 'desktop' | undefined;
  /** The visitor's preferred language, such as `pt-BR`, or `de`, which includes `de-AT`. */
  readonly language?: string | undefined;
  /**
   * The two letters of a country, such as `DE`; `UK` means `GB`. Compared with the visit detail `country`, which the
   * site provides.
   */
  readonly country?: string | undefined;
  /** The first day, `yyyy-mm-dd`, in the site's time zone. */
  readonly from?: string | undefined;
  /** The last day, `yyyy-mm-dd`, in the site's time zone. */
  readonly until?: string | undefined;
  /**
   * How many percent of the visitors who meet the other conditions get the URL, 1 to 99. The others go on to the next
   * rule. A visitor always gets the same URL.
   */
  readonly share?: number | undefined;
  /**
   * What the rule is called in statistics: 1 to 32 characters, unique in the link, and neither `A`, which is the link's
   * own URL, nor `other`. By default `B`, `C` and so on.
   */
  readonly name?: string | undefined;
  /** The long URL for these visitors. */
  readonly url: string;
}

/** The campaign of a link. */
export interface Utm {
  /** Where the visitors come from, such as `newsletter`. */
  readonly source?: string | undefined;
  /** The kind of place, such as `email`. */
  readonly medium?: string | undefined;
  /** The name of the campaign, such as `spring`. */
  readonly campaign?: string | undefined;
  /** The search words of an advertisement. */
  readonly term?: string | undefined;
  /** Which of several links or advertisements it is. */
  readonly content?: string | undefined;
}

/** An item of a list. */
export interface Broken {
  readonly since: string;
  readonly reason?: string | undefined;
}

/** All fields of a link. */
export interface FullRecord {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part: string;
  /** The long URL, exactly as it was given. */
  readonly original_url: string;
  /** When the link was created. */
  readonly date_created: string;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed: string | null;
  /** The number of counted visits. */
  readonly total_visits: number;
  /** Whether visitors must enter a password. */
  readonly has_password: boolean;
  /** The last second in which the link works; null if it does not expire. */
  readonly expiry_date: string | null;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled';
  /** For the owner's lists; visitors do not see it. Null if there is none. */
  readonly title: string | null;
  /** For the owner's lists; visitors do not see them. */
  readonly tags: readonly string[];
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. Null if
   * there is none.
   */
  readonly max_visits: number | null;
  /** The first second in which the link works; null if it has worked since its creation. */
  readonly start_date: string | null;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. Null if there
   * is none.
   */
  readonly expired_url: string | null;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query: boolean;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. */
  readonly rules: readonly Rule[];
  /** The title that chat programs and social networks show of the link. Null if there is none. */
  readonly preview_title: string | null;
  /** The text that chat programs and social networks show below the title. Null if there is none. */
  readonly preview_description: string | null;
  /** The https URL of a picture that chat programs and social networks show. Null if there is none. */
  readonly preview_image: string | null;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. Null
   * if there is none.
   */
  readonly reference: string | null;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm: boolean;
  /**
   * The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and
   * so on, where neither the destination nor a forwarded query has them. Null if there is none.
   */
  readonly utm: Utm | null;
  /**
   * Since when the link leads nowhere, and perhaps why, as the site's last check found. The link still redirects. A new
   * long URL clears it. Null if there is none.
   */
  readonly broken: Broken | null;
}

/** The parameters of a call: create a short URL. */
export interface CreateParameters {
  /** The long URL: absolute, http or https, or another scheme that the site allows. At most 8,192 characters. */
  readonly url: string;
  /**
   * The short part. `api`, names of files such as `robots.txt`, and the site's own names are reserved. Without it one
   * is generated. 1 to 64 of `A-Z a-z 0-9 - _` and, inside, `.` and `~`. The site may allow more characters and
   * segments, or ignore case.
   */
  readonly custom_url?: string | undefined;
  /** Visitors must enter it before the redirect. No answer contains it. At most 128 bytes of UTF-8. */
  readonly password?: string | undefined;
  /**
   * The last day or second in which the link works, not past. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd
   * hh:mm:ss` in the time zone of the site, or in ISO 8601 with an offset.
   */
  readonly expiry_date?: string | undefined;
  /**
   * One of the site's domains, in the form `domain.com`; with the port if it has one. By default that of the base URL.
   */
  readonly base_domain?: string | undefined;
  /** For the owner's lists; visitors do not see it. 1 to 200 characters. */
  readonly title?: string | undefined;
  /** For the owner's lists; visitors do not see them. At most 20, each 1 to 50 characters without commas. */
  readonly tags?: readonly string[] | undefined;
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. 1 to
   * 1,000,000,000.
   */
  readonly max_visits?: number | undefined;
  /**
   * The first day or second in which the link works, before the expiry date. Until then it is `scheduled`, and the
   * short URL is the site's own 404. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd hh:mm:ss` in the time zone
   * of the site, or in ISO 8601 with an offset.
   */
  readonly start_date?: string | undefined;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. At most 8,192
   * characters.
   */
  readonly expired_url?: string | undefined;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query?: boolean | undefined;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. At most 10. */
  readonly rules?: readonly Rule[] | undefined;
  /** The title that chat programs and social networks show of the link. 1 to 200 characters. */
  readonly preview_title?: string | undefined;
  /** The text that chat programs and social networks show below the title. 1 to 500 characters. */
  readonly preview_description?: string | undefined;
  /** The https URL of a picture that chat programs and social networks show. At most 8,192 characters. */
  readonly preview_image?: string | undefined;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. 1 to
   * 128 characters.
   */
  readonly reference?: string | undefined;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm?: boolean | undefined;
  /**
   * The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and
   * so on, where neither the destination nor a forwarded query has them. One or more of `source`, `medium`, `campaign`,
   * `term`, `content`, each 1 to 100 characters.
   */
  readonly utm?: Utm | undefined;
  /**
   * Whether to answer with the link that the account has created by the same parameters with `reuse`, if there is one
   * that is active and still has them. Of any number of such calls at once, one creates.
   */
  readonly reuse?: boolean | undefined;
}

/** The new link. */
export interface CreateAnswer {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part: string;
  /** The long URL, exactly as it was given. */
  readonly original_url: string;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: disable a short URL. */
export interface DisableParameters {
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
}

/** The link, which is disabled now or was before. */
export interface DisableAnswer {
  /** The unique id of the link. */
  readonly url_id: number;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'disabled';
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: activate a short URL. */
export interface EnableParameters {
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
}

/** The link, which is active now or was before. */
export interface EnableAnswer {
  /** The unique id of the link. */
  readonly url_id: number;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'scheduled';
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: read a short URL. */
export interface InfoParameters {
  /** The full short URL, with scheme and domain. */
  readonly short_url?: string | undefined;
  /** The reference of the link. 1 to 128 characters. */
  readonly reference?: string | undefined;
}

/** A short record. */
export interface InfoAnswer {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part: string;
  /** The long URL, exactly as it was given. */
  readonly original_url: string;
  /** When the link was created. */
  readonly date_created: string;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed: string | null;
  /** The number of counted visits. */
  readonly total_visits: number;
  /** Whether visitors must enter a password. */
  readonly has_password: boolean;
  /** The last second in which the link works; null if it does not expire. */
  readonly expiry_date: string | null;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled';
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: list the active short URLs. */
export interface ListActiveUrlsParameters {
  /** The maximum number of links on a page. 1 to 1,000. */
  readonly limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** An item of an answer. */
export interface ListActiveUrlsUrl {
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
}

/** Active links. */
export interface ListActiveUrlsAnswer {
  /** The active links, the oldest first. */
  readonly urls: readonly ListActiveUrlsUrl[];
  /** The `cursor` of the next page; absent on the last page. */
  readonly next_cursor?: string | undefined;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: change a short URL. */
export interface UpdateParameters {
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The long URL: absolute, http or https, or another scheme that the site allows. At most 8,192 characters. */
  readonly url?: string | undefined;
  /** Visitors must enter it before the redirect. No answer contains it. At most 128 bytes of UTF-8. */
  readonly password?: string | null | undefined;
  /**
   * The last day or second in which the link works, not past. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd
   * hh:mm:ss` in the time zone of the site, or in ISO 8601 with an offset.
   */
  readonly expiry_date?: string | null | undefined;
  /** For the owner's lists; visitors do not see it. 1 to 200 characters. */
  readonly title?: string | null | undefined;
  /** For the owner's lists; visitors do not see them. At most 20, each 1 to 50 characters without commas. */
  readonly tags?: readonly string[] | null | undefined;
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. 1 to
   * 1,000,000,000.
   */
  readonly max_visits?: number | null | undefined;
  /**
   * The first day or second in which the link works, before the expiry date. Until then it is `scheduled`, and the
   * short URL is the site's own 404. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd hh:mm:ss` in the time zone
   * of the site, or in ISO 8601 with an offset.
   */
  readonly start_date?: string | null | undefined;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. At most 8,192
   * characters.
   */
  readonly expired_url?: string | null | undefined;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query?: boolean | null | undefined;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. At most 10. */
  readonly rules?: readonly Rule[] | null | undefined;
  /** The title that chat programs and social networks show of the link. 1 to 200 characters. */
  readonly preview_title?: string | null | undefined;
  /** The text that chat programs and social networks show below the title. 1 to 500 characters. */
  readonly preview_description?: string | null | undefined;
  /** The https URL of a picture that chat programs and social networks show. At most 8,192 characters. */
  readonly preview_image?: string | null | undefined;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. 1 to
   * 128 characters.
   */
  readonly reference?: string | null | undefined;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm?: boolean | null | undefined;
  /**
   * The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and
   * so on, where neither the destination nor a forwarded query has them. One or more of `source`, `medium`, `campaign`,
   * `term`, `content`, each 1 to 100 characters.
   */
  readonly utm?: Utm | null | undefined;
  /**
   * Tags to add. Of additions at the same time all are kept. Not together with `tags`. At most 20, each 1 to 50
   * characters without commas.
   */
  readonly add_tags?: readonly string[] | undefined;
  /**
   * Tags to remove, whatever their case. Not together with `tags`. At most 20, each 1 to 50 characters without commas.
   */
  readonly remove_tags?: readonly string[] | undefined;
  /**
   * The fields to clear, each at most once. `password`, `expiry_date`, `title`, `tags`, `max_visits`, `start_date`,
   * `expired_url`, `forward_query`, `rules`, `preview_title`, `preview_description`, `preview_image`, `reference`,
   * `confirm`, `utm`.
   */
  readonly clear?: ReadonlyArray<'password' | 'expiry_date' | 'title' | 'tags' | 'max_visits' | 'start_date' | 'expired_url' | 'forward_query' | 'rules' | 'preview_title' | 'preview_description' | 'preview_image' | 'reference' | 'confirm' | 'utm'> | undefined;
}

/** A full record, after the change. */
export interface UpdateAnswer {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part: string;
  /** The long URL, exactly as it was given. */
  readonly original_url: string;
  /** When the link was created. */
  readonly date_created: string;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed: string | null;
  /** The number of counted visits. */
  readonly total_visits: number;
  /** Whether visitors must enter a password. */
  readonly has_password: boolean;
  /** The last second in which the link works; null if it does not expire. */
  readonly expiry_date: string | null;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled';
  /** For the owner's lists; visitors do not see it. Null if there is none. */
  readonly title: string | null;
  /** For the owner's lists; visitors do not see them. */
  readonly tags: readonly string[];
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. Null if
   * there is none.
   */
  readonly max_visits: number | null;
  /** The first second in which the link works; null if it has worked since its creation. */
  readonly start_date: string | null;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. Null if there
   * is none.
   */
  readonly expired_url: string | null;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query: boolean;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. */
  readonly rules: readonly Rule[];
  /** The title that chat programs and social networks show of the link. Null if there is none. */
  readonly preview_title: string | null;
  /** The text that chat programs and social networks show below the title. Null if there is none. */
  readonly preview_description: string | null;
  /** The https URL of a picture that chat programs and social networks show. Null if there is none. */
  readonly preview_image: string | null;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. Null
   * if there is none.
   */
  readonly reference: string | null;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm: boolean;
  /**
   * The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and
   * so on, where neither the destination nor a forwarded query has them. Null if there is none.
   */
  readonly utm: Utm | null;
  /**
   * Since when the link leads nowhere, and perhaps why, as the site's last check found. The link still redirects. A new
   * long URL clears it. Null if there is none.
   */
  readonly broken: Broken | null;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: remove a short URL. */
export interface RemoveParameters {
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
}

/** The link was removed. */
export interface RemoveAnswer {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The link was removed. */
  readonly status: 'removed';
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: read the visits of a short URL. */
export interface StatsParameters {
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The first day, `yyyy-mm-dd`, in the time zone of the site. */
  readonly from?: string | undefined;
  /** The last day, `yyyy-mm-dd`, in the time zone of the site. */
  readonly until?: string | undefined;
}

/** An item of an answer. */
export interface StatsValue {
  /** The currency; null if none was given. */
  readonly currency: string | null;
  /**
   * Who recorded them: the code of the site, or API calls of the account. They are never added, also if the names are
   * equal.
   */
  readonly recorded_by: 'site' | 'account';
  /** The sum of their values, before refunds. */
  readonly value: number;
  /** The sum of that day's refunds. */
  readonly refunded: number;
}

/** An item of an answer. */
export interface StatsDay {
  /** The day. */
  readonly date: string;
  /** The counted visits. */
  readonly visits: number;
  /** The conversions that the site has recorded. */
  readonly conversions: number;
  /** What conversions were worth, by currency and recorder. */
  readonly values: readonly StatsValue[];
}

/** An item of an answer. */
export interface StatsDetail {
  /** The value. */
  readonly value: string;
  /** The counted visits. */
  readonly visits: number;
}

/** An item of an answer. */
export interface StatsConversion {
  /** What was done. */
  readonly name: string;
  /** The currency; null if none was given. */
  readonly currency: string | null;
  /**
   * Who recorded them: the code of the site, or API calls of the account. They are never added, also if the names are
   * equal.
   */
  readonly recorded_by: 'site' | 'account';
  /** The conversions. */
  readonly conversions: number;
  /** The sum of their values, before refunds. */
  readonly value: number;
  /** The refunds. */
  readonly refunds: number;
  /** The sum of their refunds. */
  readonly refunded: number;
}

/** An item of an answer. */
export interface StatsVariant {
  /** The variant. */
  readonly name: string;
  /** The counted visits of this variant. */
  readonly visits: number;
  /** The conversions of these visitors. */
  readonly conversions: readonly StatsConversion[];
}

/** A full record, its visits and its conversions. */
export interface StatsAnswer {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part: string;
  /** The long URL, exactly as it was given. */
  readonly original_url: string;
  /** When the link was created. */
  readonly date_created: string;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed: string | null;
  /** The number of counted visits. */
  readonly total_visits: number;
  /** Whether visitors must enter a password. */
  readonly has_password: boolean;
  /** The last second in which the link works; null if it does not expire. */
  readonly expiry_date: string | null;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled';
  /** For the owner's lists; visitors do not see it. Null if there is none. */
  readonly title: string | null;
  /** For the owner's lists; visitors do not see them. */
  readonly tags: readonly string[];
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. Null if
   * there is none.
   */
  readonly max_visits: number | null;
  /** The first second in which the link works; null if it has worked since its creation. */
  readonly start_date: string | null;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. Null if there
   * is none.
   */
  readonly expired_url: string | null;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query: boolean;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. */
  readonly rules: readonly Rule[];
  /** The title that chat programs and social networks show of the link. Null if there is none. */
  readonly preview_title: string | null;
  /** The text that chat programs and social networks show below the title. Null if there is none. */
  readonly preview_description: string | null;
  /** The https URL of a picture that chat programs and social networks show. Null if there is none. */
  readonly preview_image: string | null;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. Null
   * if there is none.
   */
  readonly reference: string | null;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm: boolean;
  /**
   * The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and
   * so on, where neither the destination nor a forwarded query has them. Null if there is none.
   */
  readonly utm: Utm | null;
  /**
   * Since when the link leads nowhere, and perhaps why, as the site's last check found. The link still redirects. A new
   * long URL clears it. Null if there is none.
   */
  readonly broken: Broken | null;
  /**
   * The days with visits or conversions among the last 400, oldest first, in the time zone of the site. With `from` or
   * `until`, only these days.
   */
  readonly days: readonly StatsDay[];
  /**
   * The details that the site counts with visits: for each name its values, most visits first, with `from` or `until`
   * those of the whole months of these days. `other` is the sum of the values beyond the first 100. XML has one list of
   * `detail` elements, each with `name`, `value` and `visits`, grouped by name.
   */
  readonly details: Readonly<Record<string, readonly StatsDetail[]>>;
  /** The conversions by name, currency and recorder, most first. */
  readonly conversions: readonly StatsConversion[];
  /**
   * The variants of a link that has, or had, rules with a share or a name: its own URL as `A`, its rules, and earlier
   * names. `other` are visitors whom the site has sent elsewhere. As for `details`, a span counts in whole months.
   */
  readonly variants?: readonly StatsVariant[] | undefined;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: read the QR code of a short URL. */
export interface QrParameters {
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The format of the picture. By default `svg`. `svg` or `png`. */
  readonly format?: 'svg' | 'png' | undefined;
  /** The width and height in pixels. By default 300. 64 to 2,000. */
  readonly size?: number | undefined;
}

/** The parameters of a call: find short URLs. */
export interface ListUrlsParameters {
  /** Only links with this status. `active`, `disabled`, `expired` or `scheduled`. */
  readonly status?: 'active' | 'disabled' | 'expired' | 'scheduled' | undefined;
  /** Only links with this tag: the whole tag, whatever its case. */
  readonly tag?: string | undefined;
  /**
   * Only links that have each of these words in their long URL, short part, title or tags, whatever the case; or the
   * link of this short URL. At most 200 characters.
   */
  readonly search?: string | undefined;
  /** Only links that the last check of the site has found broken, or only others. */
  readonly broken?: boolean | undefined;
  /** Only links on this domain. */
  readonly base_domain?: string | undefined;
  /** Only the link with this reference. 1 to 128 characters. */
  readonly reference?: string | undefined;
  /**
   * By the time of creation: `newest` (the default) or `oldest` first. By `visits`, `last_visit` or `conversions` (of
   * the first name that the site has recorded): the most first. By `expiry_date`: the earliest first, links without one
   * last. Of equal ones the newest is first. These orders are for up to 10,000 links, and up to a minute old. `newest`,
   * `oldest`, `visits`, `last_visit`, `conversions` or `expiry_date`.
   */
  readonly order?: 'newest' | 'oldest' | 'visits' | 'last_visit' | 'conversions' | 'expiry_date' | undefined;
  /** The maximum number of links on a page. 1 to 1,000. */
  readonly limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** An item of an answer. */
export interface ListUrlsUrl {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part: string;
  /** The long URL, exactly as it was given. */
  readonly original_url: string;
  /** When the link was created. */
  readonly date_created: string;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed: string | null;
  /** The number of counted visits. */
  readonly total_visits: number;
  /** Whether visitors must enter a password. */
  readonly has_password: boolean;
  /** The last second in which the link works; null if it does not expire. */
  readonly expiry_date: string | null;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled';
  /** For the owner's lists; visitors do not see it. Null if there is none. */
  readonly title: string | null;
  /** For the owner's lists; visitors do not see them. */
  readonly tags: readonly string[];
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. Null if
   * there is none.
   */
  readonly max_visits: number | null;
  /** The first second in which the link works; null if it has worked since its creation. */
  readonly start_date: string | null;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. Null if there
   * is none.
   */
  readonly expired_url: string | null;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query: boolean;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. */
  readonly rules: readonly Rule[];
  /** The title that chat programs and social networks show of the link. Null if there is none. */
  readonly preview_title: string | null;
  /** The text that chat programs and social networks show below the title. Null if there is none. */
  readonly preview_description: string | null;
  /** The https URL of a picture that chat programs and social networks show. Null if there is none. */
  readonly preview_image: string | null;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. Null
   * if there is none.
   */
  readonly reference: string | null;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm: boolean;
  /**
   * The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and
   * so on, where neither the destination nor a forwarded query has them. Null if there is none.
   */
  readonly utm: Utm | null;
  /**
   * Since when the link leads nowhere, and perhaps why, as the site's last check found. The link still redirects. A new
   * long URL clears it. Null if there is none.
   */
  readonly broken: Broken | null;
  /** The conversions by name, currency and recorder, most first. */
  readonly conversions: readonly StatsConversion[];
}

/** A page of links. */
export interface ListUrlsAnswer {
  /** The links that meet the conditions. */
  readonly urls: readonly ListUrlsUrl[];
  /** The `cursor` of the next page; absent on the last page. */
  readonly next_cursor?: string | undefined;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: read the visits of all short URLs. */
export interface AccountStatsParameters {
  /** Only links with this status. `active`, `disabled`, `expired` or `scheduled`. */
  readonly status?: 'active' | 'disabled' | 'expired' | 'scheduled' | undefined;
  /** Only links with this tag: the whole tag, whatever its case. */
  readonly tag?: string | undefined;
  /**
   * Only links that have each of these words in their long URL, short part, title or tags, whatever the case; or the
   * link of this short URL. At most 200 characters.
   */
  readonly search?: string | undefined;
  /** Only links that the last check of the site has found broken, or only others. */
  readonly broken?: boolean | undefined;
  /** Only links on this domain. */
  readonly base_domain?: string | undefined;
  /** The first day, `yyyy-mm-dd`, in the time zone of the site. */
  readonly from?: string | undefined;
  /** The last day, `yyyy-mm-dd`, in the time zone of the site. */
  readonly until?: string | undefined;
}

/** The visits and conversions of the account. */
export interface AccountStatsAnswer {
  /** The number of links that were added up. */
  readonly links: number;
  /** How many of them are marked as broken. */
  readonly broken_links: number;
  /** True if more links meet the conditions; absent otherwise. At most the newest 1,000 are added up. */
  readonly is_partial?: boolean | undefined;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed: string | null;
  /** The number of counted visits. */
  readonly total_visits: number;
  /**
   * The days with visits or conversions among the last 400, oldest first, in the time zone of the site. With `from` or
   * `until`, only these days.
   */
  readonly days: readonly StatsDay[];
  /**
   * The details that the site counts with visits: for each name its values, most visits first, with `from` or `until`
   * those of the whole months of these days. `other` is the sum of the values beyond the first 100. XML has one list of
   * `detail` elements, each with `name`, `value` and `visits`, grouped by name.
   */
  readonly details: Readonly<Record<string, readonly StatsDetail[]>>;
  /** The conversions by name, currency and recorder, most first. */
  readonly conversions: readonly StatsConversion[];
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** An item of an answer. */
export interface TagsTagCount {
  /** The tag, in its most common spelling. Tags that differ only in case are counted together. */
  readonly tag: string;
  /** The number of links that have it. */
  readonly links: number;
}

/** The tags. */
export interface TagsAnswer {
  /** The tags, the most used first. */
  readonly tag_counts: readonly TagsTagCount[];
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: compare short URLs. */
export interface CompareParameters {
  /** The first day, `yyyy-mm-dd`, in the time zone of the site. */
  readonly from?: string | undefined;
  /** The last day, `yyyy-mm-dd`, in the time zone of the site. */
  readonly until?: string | undefined;
  /** Only links with this status. `active`, `disabled`, `expired` or `scheduled`. */
  readonly status?: 'active' | 'disabled' | 'expired' | 'scheduled' | undefined;
  /** Only links with this tag: the whole tag, whatever its case. */
  readonly tag?: string | undefined;
  /**
   * Only links that have each of these words in their long URL, short part, title or tags, whatever the case; or the
   * link of this short URL. At most 200 characters.
   */
  readonly search?: string | undefined;
  /** Only links that the last check of the site has found broken, or only others. */
  readonly broken?: boolean | undefined;
  /** Only links on this domain. */
  readonly base_domain?: string | undefined;
  /**
   * By `visits` (the default), by `conversions`, or by their `value` without refunds, the most first. The order is up
   * to a minute old. `visits`, `conversions` or `value`.
   */
  readonly order?: 'visits' | 'conversions' | 'value' | undefined;
  /** Only conversions with this name. */
  readonly name?: string | undefined;
  /** The currency that `value` orders by. By default the one with the most conversions. */
  readonly currency?: string | null | undefined;
  /** The maximum number of links on a page. 1 to 1,000. */
  readonly limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** An item of an answer. */
export interface CompareValue {
  /** The currency; null if none was given. */
  readonly currency: string | null;
  /**
   * Who recorded them: the code of the site, or API calls of the account. They are never added, also if the names are
   * equal.
   */
  readonly recorded_by: 'site' | 'account';
  /** The sum of their values, before refunds. */
  readonly value: number;
  /** The sum of their refunds. */
  readonly refunded: number;
}

/** An item of an answer. */
export interface CompareUrl {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part: string;
  /** The long URL, exactly as it was given. */
  readonly original_url: string;
  /** When the link was created. */
  readonly date_created: string;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed: string | null;
  /** The number of counted visits. */
  readonly total_visits: number;
  /** Whether visitors must enter a password. */
  readonly has_password: boolean;
  /** The last second in which the link works; null if it does not expire. */
  readonly expiry_date: string | null;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled';
  /** For the owner's lists; visitors do not see it. Null if there is none. */
  readonly title: string | null;
  /** For the owner's lists; visitors do not see them. */
  readonly tags: readonly string[];
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. Null if
   * there is none.
   */
  readonly max_visits: number | null;
  /** The first second in which the link works; null if it has worked since its creation. */
  readonly start_date: string | null;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. Null if there
   * is none.
   */
  readonly expired_url: string | null;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query: boolean;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. */
  readonly rules: readonly Rule[];
  /** The title that chat programs and social networks show of the link. Null if there is none. */
  readonly preview_title: string | null;
  /** The text that chat programs and social networks show below the title. Null if there is none. */
  readonly preview_description: string | null;
  /** The https URL of a picture that chat programs and social networks show. Null if there is none. */
  readonly preview_image: string | null;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. Null
   * if there is none.
   */
  readonly reference: string | null;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm: boolean;
  /**
   * The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and
   * so on, where neither the destination nor a forwarded query has them. Null if there is none.
   */
  readonly utm: Utm | null;
  /**
   * Since when the link leads nowhere, and perhaps why, as the site's last check found. The link still redirects. A new
   * long URL clears it. Null if there is none.
   */
  readonly broken: Broken | null;
  /** The counted visits. */
  readonly visits: number;
  /** The conversions that the site has recorded. */
  readonly conversion_count: number;
  /** What conversions were worth, by currency and recorder. */
  readonly values: readonly CompareValue[];
}

/** A page of the compared links. */
export interface CompareAnswer {
  /** The number of links that were compared. */
  readonly links: number;
  /** The visits of all these links in the span. */
  readonly total_visits: number;
  /** The conversions of all these links in the span, by name, currency and recorder, most first. */
  readonly totals: readonly StatsConversion[];
  /** The links, the first in the order first. Those without visits and conversions come last. */
  readonly urls: readonly CompareUrl[];
  /** The `cursor` of the next page; absent on the last page. */
  readonly next_cursor?: string | undefined;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: compare tags or campaigns. */
export interface CompareTagsParameters {
  /** The first day, `yyyy-mm-dd`, in the time zone of the site. */
  readonly from?: string | undefined;
  /** The last day, `yyyy-mm-dd`, in the time zone of the site. */
  readonly until?: string | undefined;
  /** Only links with this status. `active`, `disabled`, `expired` or `scheduled`. */
  readonly status?: 'active' | 'disabled' | 'expired' | 'scheduled' | undefined;
  /** Only links with this tag: the whole tag, whatever its case. */
  readonly tag?: string | undefined;
  /**
   * Only links that have each of these words in their long URL, short part, title or tags, whatever the case; or the
   * link of this short URL. At most 200 characters.
   */
  readonly search?: string | undefined;
  /** Only links that the last check of the site has found broken, or only others. */
  readonly broken?: boolean | undefined;
  /** Only links on this domain. */
  readonly base_domain?: string | undefined;
  /**
   * By `visits` (the default), by `conversions`, or by their `value` without refunds, the most first. The order is up
   * to a minute old. `visits`, `conversions` or `value`.
   */
  readonly order?: 'visits' | 'conversions' | 'value' | undefined;
  /** Only conversions with this name. */
  readonly name?: string | undefined;
  /** The currency that `value` orders by. By default the one with the most conversions. */
  readonly currency?: string | null | undefined;
  /** The maximum number of links on a page. 1 to 1,000. */
  readonly limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
  /**
   * What is compared, in the field `tag` of the answer: tags (the default), or a part of `utm`. `tag`, `source`,
   * `medium` or `campaign`.
   */
  readonly by?: 'tag' | 'source' | 'medium' | 'campaign' | undefined;
}

/** An item of an answer. */
export interface CompareTagsTagCount {
  /** The tag, in its most common spelling. Tags that differ only in case are counted together. */
  readonly tag: string;
  /** The number of links that have it. */
  readonly links: number;
  /** The counted visits. */
  readonly visits: number;
  /** The conversions that the site has recorded. */
  readonly conversion_count: number;
  /** What conversions were worth, by currency and recorder. */
  readonly values: readonly CompareValue[];
}

/** A page of the compared tags. */
export interface CompareTagsAnswer {
  /** The number of links that were compared. */
  readonly links: number;
  /** The visits of all these links in the span. */
  readonly total_visits: number;
  /** The conversions of all these links in the span, by name, currency and recorder, most first. */
  readonly totals: readonly StatsConversion[];
  /** The tags, the first in the order first. */
  readonly tag_counts: readonly CompareTagsTagCount[];
  /** The `cursor` of the next page; absent on the last page. */
  readonly next_cursor?: string | undefined;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: create many short URLs. */
export interface CreateManyParameters {
  /** The links to create, with the parameters of `create`. 1 to 1,000. */
  readonly links: readonly CreateParameters[];
}

/** An item of an answer. */
export interface CreateManyResult {
  /** The link. */
  readonly link?: FullRecord | undefined;
  /** The code of the error, for programs. */
  readonly error?: 'missing_parameter' | 'unknown_parameter' | 'malformed_parameter' | 'invalid_url' | 'forbidden_url' | 'invalid_custom_url' | 'invalid_password' | 'invalid_expiry_date' | 'invalid_base_domain' | 'unknown_base_domain' | 'invalid_api_key' | 'account_blocked' | 'custom_url_taken' | 'reference_taken' | 'idempotency_key_reused' | 'too_many_requests' | 'internal_error' | 'store_unavailable' | undefined;
  /** What was wrong and what is expected, for people. The wording may change in later versions. */
  readonly message?: string | undefined;
}

/** The results of the creations. */
export interface CreateManyAnswer {
  /** One result for each item, in its order: a `link`, or an `error` with its `message`. */
  readonly results: readonly CreateManyResult[];
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** An item of a list. */
export interface UpdateManyChange {
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The long URL: absolute, http or https, or another scheme that the site allows. At most 8,192 characters. */
  readonly url?: string | undefined;
  /** Visitors must enter it before the redirect. No answer contains it. At most 128 bytes of UTF-8. */
  readonly password?: string | null | undefined;
  /**
   * The last day or second in which the link works, not past. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd
   * hh:mm:ss` in the time zone of the site, or in ISO 8601 with an offset.
   */
  readonly expiry_date?: string | null | undefined;
  /** For the owner's lists; visitors do not see it. 1 to 200 characters. */
  readonly title?: string | null | undefined;
  /** For the owner's lists; visitors do not see them. At most 20, each 1 to 50 characters without commas. */
  readonly tags?: readonly string[] | undefined;
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. 1 to
   * 1,000,000,000.
   */
  readonly max_visits?: number | null | undefined;
  /**
   * The first day or second in which the link works, before the expiry date. Until then it is `scheduled`, and the
   * short URL is the site's own 404. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd hh:mm:ss` in the time zone
   * of the site, or in ISO 8601 with an offset.
   */
  readonly start_date?: string | null | undefined;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. At most 8,192
   * characters.
   */
  readonly expired_url?: string | null | undefined;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query?: boolean | null | undefined;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. At most 10. */
  readonly rules?: readonly Rule[] | undefined;
  /** The title that chat programs and social networks show of the link. 1 to 200 characters. */
  readonly preview_title?: string | null | undefined;
  /** The text that chat programs and social networks show below the title. 1 to 500 characters. */
  readonly preview_description?: string | null | undefined;
  /** The https URL of a picture that chat programs and social networks show. At most 8,192 characters. */
  readonly preview_image?: string | null | undefined;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. 1 to
   * 128 characters.
   */
  readonly reference?: string | null | undefined;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm?: boolean | null | undefined;
  /** The campaign of a link. */
  readonly utm?: Utm | null | undefined;
  /**
   * Tags to add. Of additions at the same time all are kept. Not together with `tags`. At most 20, each 1 to 50
   * characters without commas.
   */
  readonly add_tags?: readonly string[] | undefined;
  /**
   * Tags to remove, whatever their case. Not together with `tags`. At most 20, each 1 to 50 characters without commas.
   */
  readonly remove_tags?: readonly string[] | undefined;
  /**
   * The fields to clear, each at most once. `password`, `expiry_date`, `title`, `tags`, `max_visits`, `start_date`,
   * `expired_url`, `forward_query`, `rules`, `preview_title`, `preview_description`, `preview_image`, `reference`,
   * `confirm`, `utm`.
   */
  readonly clear?: ReadonlyArray<'password' | 'expiry_date' | 'title' | 'tags' | 'max_visits' | 'start_date' | 'expired_url' | 'forward_query' | 'rules' | 'preview_title' | 'preview_description' | 'preview_image' | 'reference' | 'confirm' | 'utm'> | undefined;
  /** A new status, without other changes; `removed` is for good. `active`, `disabled` or `removed`. */
  readonly status?: 'active' | 'disabled' | 'removed' | undefined;
}

/** The parameters of a call: change many short URLs. */
export interface UpdateManyParameters {
  /** The changes, each with a `short_url` and the parameters of `update`, or a `status`. 1 to 1,000. */
  readonly changes: readonly UpdateManyChange[];
}

/** An item of an answer. */
export interface UpdateManyLink {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The short part alone. */
  readonly short_url_part?: string | undefined;
  /** The long URL, exactly as it was given. */
  readonly original_url?: string | undefined;
  /** When the link was created. */
  readonly date_created?: string | undefined;
  /** The time of the last counted visit; null before the first, or if only visits of unknown time were imported. */
  readonly last_accessed?: string | null | undefined;
  /** The number of counted visits. */
  readonly total_visits?: number | undefined;
  /** Whether visitors must enter a password. */
  readonly has_password?: boolean | undefined;
  /** The last second in which the link works; null if it does not expire. */
  readonly expiry_date?: string | null | undefined;
  /** `scheduled` before its first day, `expired` after its end or its last visit. A disabled link stays `disabled`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled' | 'removed';
  /** For the owner's lists; visitors do not see it. Null if there is none. */
  readonly title?: string | null | undefined;
  /** For the owner's lists; visitors do not see them. */
  readonly tags?: readonly string[] | undefined;
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. Null if
   * there is none.
   */
  readonly max_visits?: number | null | undefined;
  /** The first second in which the link works; null if it has worked since its creation. */
  readonly start_date?: string | null | undefined;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. Null if there
   * is none.
   */
  readonly expired_url?: string | null | undefined;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forward_query?: boolean | undefined;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. */
  readonly rules?: readonly Rule[] | undefined;
  /** The title that chat programs and social networks show of the link. Null if there is none. */
  readonly preview_title?: string | null | undefined;
  /** The text that chat programs and social networks show below the title. Null if there is none. */
  readonly preview_description?: string | null | undefined;
  /** The https URL of a picture that chat programs and social networks show. Null if there is none. */
  readonly preview_image?: string | null | undefined;
  /**
   * What the owner's own records call the link. No other link of the account may have it. Visitors do not see it. Null
   * if there is none.
   */
  readonly reference?: string | null | undefined;
  /**
   * Whether visitors must press a button before the redirect, which programs that check links do not do. By default the
   * site decides.
   */
  readonly confirm?: boolean | undefined;
  /**
   * The campaign of the link. Its parts are added to each destination, in the parameters `utm_source`, `utm_medium` and
   * so on, where neither the destination nor a forwarded query has them. Null if there is none.
   */
  readonly utm?: Utm | null | undefined;
  /**
   * Since when the link leads nowhere, and perhaps why, as the site's last check found. The link still redirects. A new
   * long URL clears it. Null if there is none.
   */
  readonly broken?: Broken | null | undefined;
}

/** An item of an answer. */
export interface UpdateManyResult {
  /** The link. */
  readonly link?: UpdateManyLink | undefined;
  /** The code of the error, for programs. */
  readonly error?: 'missing_parameter' | 'unknown_parameter' | 'malformed_parameter' | 'invalid_url' | 'forbidden_url' | 'invalid_password' | 'invalid_expiry_date' | 'invalid_api_key' | 'account_blocked' | 'link_blocked' | 'unknown_short_url' | 'reference_taken' | 'link_expired' | 'too_many_requests' | 'internal_error' | 'store_unavailable' | undefined;
  /** What was wrong and what is expected, for people. The wording may change in later versions. */
  readonly message?: string | undefined;
}

/** The results of the changes. A removed link has only `url_id`, `short_url` and `status`. */
export interface UpdateManyAnswer {
  /** One result for each item, in its order: a `link`, or an `error` with its `message`. */
  readonly results: readonly UpdateManyResult[];
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: record a conversion. */
export interface RecordConversionParameters {
  /**
   * What the destination got in the parameter of the option `attribution`, or the value of the cookie `short_url_via`.
   */
  readonly via?: string | undefined;
  /** Your own id of the customer. It is stored as a keyed digest. 1 to 128 characters. */
  readonly customer?: string | undefined;
  /** What was done, such as `order`. An account has at most 8 different names. */
  readonly name: string;
  /** What makes it one, such as the number of the order. 1 to 128 characters. */
  readonly id: string;
  /** In the smallest unit of the currency, for example cents. By default 0. 0 to 1,000,000,000,000. */
  readonly value?: number | undefined;
  /** The currency of ISO 4217. Values of two currencies are never added. An account has at most 20. */
  readonly currency?: string | undefined;
}

/** An item of an answer. */
export interface RecordConversionLink {
  /** The unique id of the link. */
  readonly url_id: number;
  /** The full short URL, with scheme and domain. */
  readonly short_url: string;
  /** The status of the link, or `removed`. */
  readonly status: 'active' | 'disabled' | 'expired' | 'scheduled' | 'removed';
}

/** The conversion is recorded, now or before, or no link of the account brought the customer. */
export interface RecordConversionAnswer {
  /** The link that brought the customer; null if there is none. */
  readonly link: RecordConversionLink | null;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: record a refund of a conversion. */
export interface RefundConversionParameters {
  /** What was done, such as `order`. An account has at most 8 different names. */
  readonly name: string;
  /** What makes it one, such as the number of the order. 1 to 128 characters. */
  readonly id: string;
  /** What makes the refund one, such as its number. 1 to 128 characters. */
  readonly refund: string;
  /** At most what is left of the value of the conversion. By default all of it. 0 to 1,000,000,000,000. */
  readonly value?: number | undefined;
}

/** The refund is recorded, now or before, or there is no such conversion. */
export interface RefundConversionAnswer {
  /** The link that brought the customer; null if there is none. */
  readonly link: RecordConversionLink | null;
  /** What was refunded. */
  readonly value: number | null;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: remember which link brought a customer. */
export interface IdentifyCustomerParameters {
  /**
   * What the destination got in the parameter of the option `attribution`, or the value of the cookie `short_url_via`.
   */
  readonly via: string;
  /** Your own id of the customer. It is stored as a keyed digest. 1 to 128 characters. */
  readonly customer: string;
}

/** The link of the customer is remembered, now or before, or there is none. */
export interface IdentifyCustomerAnswer {
  /** The link that brought the customer; null if there is none. */
  readonly link: RecordConversionLink | null;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: forget a customer. */
export interface ForgetCustomerParameters {
  /** Your own id of the customer. It is stored as a keyed digest. 1 to 128 characters. */
  readonly customer: string;
}

/** The customer is unknown. */
export interface ForgetCustomerAnswer {
  /** Whether the customer was known. */
  readonly was_known: boolean;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: give up a name of conversions. */
export interface ForgetConversionNameParameters {
  /** What was done, such as `order`. An account has at most 8 different names. */
  readonly name: string;
}

/** The account has no such name. */
export interface ForgetConversionNameAnswer {
  /** Whether it was a name of the account. */
  readonly was_known: boolean;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** An item of an answer. */
export interface KeysKey {
  /** Names a labelled key. It is not secret. */
  readonly id: string;
  /** What the key is for. */
  readonly label: string;
  /** `read`: only look at links. `create`: also create links. `full`: everything. */
  readonly scope: 'read' | 'create' | 'full';
  /** When the key was created. */
  readonly created: string;
}

/** The labelled keys of the account. */
export interface KeysAnswer {
  /** The labelled keys, the oldest first. */
  readonly keys: readonly KeysKey[];
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: create a labelled key. */
export interface CreateKeyParameters {
  /** What the key is for. 1 to 100 characters. */
  readonly label: string;
  /** `read`: only look at links. `create`: also create links. `full`: everything. `read`, `create` or `full`. */
  readonly scope: 'read' | 'create' | 'full';
}

/** The new key. */
export interface CreateKeyAnswer {
  /** Names a labelled key. It is not secret. */
  readonly id: string;
  /** The key itself. It is not shown again. */
  readonly api_key: string;
  /** What the key is for. */
  readonly label: string;
  /** `read`: only look at links. `create`: also create links. `full`: everything. */
  readonly scope: 'read' | 'create' | 'full';
  /** When the key was created. */
  readonly created: string;
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}

/** The parameters of a call: revoke a labelled key. */
export interface RevokeKeyParameters {
  /** The `id` of the key. */
  readonly id: string;
}

/** The key was revoked. */
export interface RevokeKeyAnswer {
  /** Names a labelled key. It is not secret. */
  readonly id: string;
  /** The key is not valid any more. */
  readonly status: 'revoked';
  /** The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`. */
  readonly date_time: string;
}
