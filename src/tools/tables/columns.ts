import {fields, type ShownName, shownNames} from '../../link/fields.ts';
import {utmName, utmParts} from '../../link/utm.ts';
import {isProtection, mayProtect} from './protection.ts';
import {plain} from './words.ts';

/**
 * Names of columns, and of members of JSON, that other shorteners and spreadsheets use for a field besides its name in
 * our API. `plain` has been applied to them.
 */
const others: Readonly<Partial<Record<ShownName, string>>> = {
  title: 'linkname linktitle name description titel titre titulo 标题 標題',
  tags: 'labels label tag schlagworter schlagworte schlagwort etiquettes etiquetas 标签 標籤',
  maxVisits:
    'maxclicks maxhits maxviews maxuses visitlimit clicklimit clickslimit expireatviews expireatclicks expirationhits ' +
    'expirationclicks besuchslimit limitedevisites limitedevisitas 访问次数上限 造訪次數上限',
  startDate: 'start startsat startat validsince validfrom erstertag premierjour primerdia 生效日期 生效日',
  expiredUrl:
    'expireurl expiryurl expirationurl expiredredirect expiredredirecturl urlafterexpiry 过期后的去向 過期後的去向',
  previewTitle: 'ogtitle socialtitle st',
  previewDescription: 'ogdescription socialdescription sd',
  previewImage: 'ogimage socialimage socialimagelink si',
  confirm: 'askbeforeopening vordemoffnenfragen demanderavantdouvrir preguntarantesdeabrir 打开前先询问 開啟前先詢問',
  reference: 'externalid referenz referencia 参考编号 參考編號',
};

const ofFields = Object.fromEntries<readonly string[]>(
  shownNames.map((name) => [name, [plain(fields[name].parameter), ...words(others[name] ?? '')]]),
) as Record<ShownName, readonly string[]>;

/** The parts of a campaign. */
const ofUtm = Object.fromEntries<readonly string[]>(
  utmParts.map((part) => [utmName(part), [plain(utmName(part))]]),
) as Record<ReturnType<typeof utmName>, readonly string[]>;

/**
 * The names that this site and others use: Bitly, Rebrandly, Short.io, TinyURL, Dub, Polr, Shlink, YOURLS, Kutt, Firebase
 * Dynamic Links. They have letters and digits only. The fields are looked up in this order, and of the names of a field
 * the first one that a source has is read.
 */
const names = {
  shortPart: words(
    'shortpart shorturlpart slug customurl shortcode keyword alias backhalf address slashtag path code key ' +
      'customending ending eigeneendung endung finpersonnalisee fin finalpersonalizado final 自定义后缀 后缀 自訂後綴 後綴',
  ),
  shortUrl: words(
    'shorturl shortlink shortdynamiclink tinyurl bitlink brandedlink kurzurl urlcourte urlcorta 短网址 短網址 link',
  ),
  /** Further short URLs of the same link. */
  custom: words('customlink custombitlink custombitlinks customlinks custombackhalf'),
  domain: words('domain basedomain domaine dominio 域名 網域'),
  url: words(
    'longurl originalurl destinationurl destination targeturl target deeplink longlink langeurl zielurl ziel urllongue ' +
      'urllarga destino 长网址 長網址 目标网址 目標網址 网址 網址 链接 連結 url link',
  ),
  ...ofFields,
  ...ofUtm,
  created: words('created datecreated createdat creationdate createddate timecreated timestamp date'),
  visits: words(
    'visits totalvisits visitcount visitscount totalengagements engagements clicks totalclicks hits linkclicks ' +
      'clickcount clickscount visitorcount visitors',
  ),
  lastVisit: words('lastaccessed lastvisit lastclick lastclicked lastclickat'),
  end: words(
    'expiry expirydate expires expiresat expireat expireson expirein expireafter expiretime expirytime expireatdatetime ' +
      'validuntil validto expirationdate expirationat expirationtime expiresdate expiration ablaufdatum gultigbis ' +
      'datedexpiration fechadecaducidad 到期日期 到期日',
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

/** Fields of which every column counts, because each of them may end a link. */
const strict: ReadonlySet<Field> = new Set(['end', 'maxVisits']);

/** Finds the columns of fields by their names. */
export class Columns {
  readonly #places = new Map<Field, readonly number[]>();
  readonly #header: readonly string[];
  /** Columns that put a link out of service or lock it. Of these every one counts. */
  readonly protection: readonly NamedPlace[];
  /** The columns that nothing reads. */
  readonly unknown: readonly NamedPlace[];
  /** Those among them that may be about a password, a block, an expiry date or a limit. */
  readonly doubtful: readonly NamedPlace[];

  /** @param silent names of columns that say nothing about a link */
  constructor(header: readonly string[], more: MoreNames = {}, silent: readonly string[] = []) {
    this.#header = header;
    const present = header.map(plain);
    const taken = new Set<number>();
    for (const [field, usual] of lookups) {
      const named = [...(more[field] ?? []), ...usual].map((name) => present.indexOf(name));
      const free = named.filter((found) => found >= 0 && !taken.has(found));
      const places = strict.has(field) ? free : free.slice(0, 1);
      if (places.length === 0) continue;
      this.#places.set(field, places);
      for (const place of places) taken.add(place);
    }
    const others = header.map((name, place) => [place, name] as const).filter(([place]) => !taken.has(place));
    this.protection = others.filter(([, name]) => isProtection(name));
    this.unknown = others
      .filter(([, name]) => !isProtection(name) && !silent.includes(plain(name)))
      .map(([place, name]) => [place, name.trim() === '' ? `column ${place + 1}` : name] as const);
    this.doubtful = this.unknown.filter(([, name]) => mayProtect(name));
  }

  /** The columns of all fields but these. */
  except(fields: ReadonlySet<Field>): readonly NamedPlace[] {
    const others = Array.from(this.#places).filter(([field]) => !fields.has(field));
    return others.flatMap(([, places]) => places.map((place) => [place, this.#header[place] ?? ''] as const));
  }

  has(field: Field): boolean {
    return this.#places.has(field);
  }

  /** The value of the field; undefined if the source has no such column or the row is too short. */
  get<Cell>(cells: readonly Cell[], field: Field): Cell | undefined {
    return this.each(cells, field)[0];
  }

  /** The values of all columns of a field. */
  each<Cell>(cells: readonly Cell[], field: Field): ReadonlyArray<Cell | undefined> {
    return (this.#places.get(field) ?? []).map((place) => cells[place]);
  }
}

export function words(text: string): readonly string[] {
  return text.split(' ').filter(Boolean);
}
