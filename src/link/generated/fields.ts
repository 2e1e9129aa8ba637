/* Made by `npm run generate` from src/link/fields.ts, src/link/rules.ts and src/link/utm.ts. Do not edit. */

/** The fields of a link to create. */
export interface GivenFields {
  /** The long URL: absolute, http or https, or another scheme that the site allows. At most 8,192 characters. */
  readonly url: string;
  /**
   * The short part. `api`, names of files such as `robots.txt`, and the site's own names are reserved. Without it one
   * is generated. 1 to 64 of `A-Z a-z 0-9 - _` and, inside, `.` and `~`. The site may allow more characters and
   * segments, or ignore case.
   */
  readonly customUrl?: string | undefined;
  /** Visitors must enter it before the redirect. No answer contains it. At most 128 bytes of UTF-8. */
  readonly password?: string | undefined;
  /**
   * The last day or second in which the link works, not past. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd
   * hh:mm:ss` in the time zone of the site, or in ISO 8601 with an offset. In code also a `Date`.
   */
  readonly expiryDate?: string | Date | undefined;
  /**
   * One of the site's domains, in the form `domain.com`; with the port if it has one. By default that of the base URL.
   */
  readonly baseDomain?: string | undefined;
  /** For the owner's lists; visitors do not see it. 1 to 200 characters. */
  readonly title?: string | undefined;
  /** For the owner's lists; visitors do not see them. At most 20, each 1 to 50 characters without commas. */
  readonly tags?: readonly string[] | undefined;
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. 1 to
   * 1,000,000,000.
   */
  readonly maxVisits?: number | undefined;
  /**
   * The first day or second in which the link works, before the expiry date. Until then it is `scheduled`, and the
   * short URL is the site's own 404. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd hh:mm:ss` in the time zone
   * of the site, or in ISO 8601 with an offset. In code also a `Date`.
   */
  readonly startDate?: string | Date | undefined;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. At most 8,192
   * characters.
   */
  readonly expiredUrl?: string | undefined;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forwardQuery?: boolean | undefined;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. At most 10. */
  readonly rules?: readonly Rule[] | undefined;
  /** The title that chat programs and social networks show of the link. 1 to 200 characters. */
  readonly previewTitle?: string | undefined;
  /** The text that chat programs and social networks show below the title. 1 to 500 characters. */
  readonly previewDescription?: string | undefined;
  /** The https URL of a picture that chat programs and social networks show. At most 8,192 characters. */
  readonly previewImage?: string | undefined;
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
}

/** The fields of a link that a change can set. Null clears a field. */
export interface ChangedFields {
  /** The long URL: absolute, http or https, or another scheme that the site allows. At most 8,192 characters. */
  readonly url?: string | undefined;
  /** Visitors must enter it before the redirect. No answer contains it. At most 128 bytes of UTF-8. */
  readonly password?: string | null | undefined;
  /**
   * The last day or second in which the link works, not past. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd
   * hh:mm:ss` in the time zone of the site, or in ISO 8601 with an offset. In code also a `Date`.
   */
  readonly expiryDate?: string | Date | null | undefined;
  /** For the owner's lists; visitors do not see it. 1 to 200 characters. */
  readonly title?: string | null | undefined;
  /** For the owner's lists; visitors do not see them. At most 20, each 1 to 50 characters without commas. */
  readonly tags?: readonly string[] | null | undefined;
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. 1 to
   * 1,000,000,000.
   */
  readonly maxVisits?: number | null | undefined;
  /**
   * The first day or second in which the link works, before the expiry date. Until then it is `scheduled`, and the
   * short URL is the site's own 404. Written `yyyy-mm-dd`, `yyyy-mm-dd hh:mm` or `yyyy-mm-dd hh:mm:ss` in the time zone
   * of the site, or in ISO 8601 with an offset. In code also a `Date`.
   */
  readonly startDate?: string | Date | null | undefined;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. At most 8,192
   * characters.
   */
  readonly expiredUrl?: string | null | undefined;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forwardQuery?: boolean | null | undefined;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. At most 10. */
  readonly rules?: readonly Rule[] | null | undefined;
  /** The title that chat programs and social networks show of the link. 1 to 200 characters. */
  readonly previewTitle?: string | null | undefined;
  /** The text that chat programs and social networks show below the title. 1 to 500 characters. */
  readonly previewDescription?: string | null | undefined;
  /** The https URL of a picture that chat programs and social networks show. At most 8,192 characters. */
  readonly previewImage?: string | null | undefined;
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
}

/** The fields of a link that its owner sets, as its owner sees them. */
export interface ShownFields {
  /** For the owner's lists; visitors do not see it. Null if there is none. */
  readonly title: string | null;
  /** For the owner's lists; visitors do not see them. */
  readonly tags: readonly string[];
  /**
   * The maximum number of visits that are redirected, from the first one on. After them the link is `expired`. Null if
   * there is none.
   */
  readonly maxVisits: number | null;
  /** The first second in which the link works; null if it has worked since its creation. */
  readonly startDate: string | null;
  /**
   * A long URL to which visitors are redirected once the link has expired. These visits are not counted. Null if there
   * is none.
   */
  readonly expiredUrl: string | null;
  /**
   * Whether the query of a visit is added to the destination. A parameter that the destination has already keeps its
   * value. By default the site decides.
   */
  readonly forwardQuery: boolean;
  /** The first rule that applies to a visitor sets the destination. A rule has one condition or more. */
  readonly rules: readonly Rule[];
  /** The title that chat programs and social networks show of the link. Null if there is none. */
  readonly previewTitle: string | null;
  /** The text that chat programs and social networks show below the title. Null if there is none. */
  readonly previewDescription: string | null;
  /** The https URL of a picture that chat programs and social networks show. Null if there is none. */
  readonly previewImage: string | null;
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
  readonly broken: {readonly since: string; readonly reason?: string | undefined} | null;
}

/**
 * A rule for the destination of a link. It needs at least one condition, and applies to visitors who meet all of them
 * (docs/links.md).
 */
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
  /** The long URL for these visitors. At most 8,192 characters. */
  readonly url: string;
}

/** The campaign of a link, in the parameters of its destinations. It has at least one part (docs/links.md). */
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
