import {fields, type ShownName, shownNames} from '../../../link/fields.ts';
import {isProtection} from './protection.ts';
import {plain} from './values.ts';

/** Names of columns, and of members of JSON, that other shorteners use for a field besides its name in our API. */
const others: Readonly<Partial<Record<ShownName, string>>> = {
  title: 'linkname linktitle name description',
  tags: 'labels tag',
  maxVisits: 'maxclicks visitlimit clicklimit clickslimit',
  startDate: 'start startsat validsince validfrom',
  expiredUrl: 'expirationurl expiredredirect expiredredirecturl',
  previewTitle: 'ogtitle socialtitle st',
  previewDescription: 'ogdescription socialdescription sd',
  previewImage: 'ogimage socialimage socialimagelink si',
  reference: 'externalid',
};

const ofFields = Object.fromEntries(
  shownNames.map((name) => [name, [plain(fields[name].parameter), ...words(others[name] ?? '')]]),
) as unknown as Record<ShownName, readonly string[]>;

/**
 * The names that this site and others use: Bitly, Rebrandly, Short.io, TinyURL, Dub, Polr, Shlink, YOURLS, Kutt, Firebase
 * Dynamic Links. They have letters and digits only. The fields are looked up in this order, and of the names of a field
 * the first one that a source has is read.
 */
const names = {
  shortPart: words(
    'shortpart shorturlpart slug customurl shortcode keyword alias backhalf address slashtag path code key',
  ),
  shortUrl: words('shorturl shortlink shortdynamiclink tinyurl bitlink brandedlink link'),
  /** Further short URLs of the same link. */
  custom: words('customlink custombitlink custombitlinks customlinks custombackhalf'),
  domain: words('domain basedomain'),
  url: words('longurl originalurl destinationurl destination targeturl target deeplink longlink url link'),
  ...ofFields,
  created: words('created datecreated createdat creationdate createddate timecreated timestamp date'),
  visits: words(
    'visits totalvisits visitcount visitscount totalengagements engagements clicks totalclicks hits linkclicks ' +
      'clickcount clickscount visitorcount visitors',
  ),
  lastVisit: words('lastaccessed lastvisit lastclick lastclicked lastclickat'),
  end: words(
    'expiry expirydate expires expiresat expirein validuntil expirationdate expirationat expiresdate expiration',
  ),
  /** Polr's: the second segment of the short part. */
  secretKey: words('secretkey'),
  status: words('status'),
  /** Blocked by the operator of the other site. Only Kutt tells that apart. */
  isBlocked: words(''),
  isDeleted: words(''),
};

export type Field = keyof typeof names;

/** Names that a format has besides those above, or for another field. */
export type MoreNames = Readonly<Partial<Record<Field, readonly string[]>>>;

const lookups = Object.entries(names) as Array<[Field, readonly string[]]>;

type NamedPlace = readonly [place: number, name: string];

/** Finds the columns of fields by their names. */
export class Columns {
  readonly #places = new Map<Field, number>();
  /** Columns that put a link out of service or lock it. Of these every one counts. */
  readonly protection: readonly NamedPlace[];
  /** The columns that nothing reads. */
  readonly unknown: readonly NamedPlace[];

  /** @param silent names of columns that say nothing about a link */
  constructor(header: readonly string[], more: MoreNames = {}, silent: readonly string[] = []) {
    const present = header.map(plain);
    const taken = new Set<number>();
    for (const [field, usual] of lookups) {
      const places = [...(more[field] ?? []), ...usual].map((name) => present.indexOf(name));
      const place = places.find((found) => found >= 0 && !taken.has(found));
      if (place === undefined) continue;
      this.#places.set(field, place);
      taken.add(place);
    }
    const others = header.map((name, place) => [place, name] as const).filter(([place]) => !taken.has(place));
    this.protection = others.filter(([, name]) => isProtection(name));
    this.unknown = others
      .filter(([, name]) => !isProtection(name) && !silent.includes(plain(name)))
      .map(([place, name]) => [place, name.trim() === '' ? `column ${place + 1}` : name] as const);
  }

  has(field: Field): boolean {
    return this.#places.has(field);
  }

  /** The value of the field; undefined if the source has no such column or the row is too short. */
  get(cells: readonly unknown[], field: Field): unknown {
    return cells[this.#places.get(field) ?? -1];
  }
}

export function words(text: string): readonly string[] {
  return text.split(' ').filter(Boolean);
}
