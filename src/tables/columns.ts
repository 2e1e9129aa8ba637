import {fields, type ShownName, shownNames} from '../link/fields.ts';
import {utmName, utmParts} from '../link/utm.ts';
import {plain} from './words.ts';

/**
 * Names of columns, and of members of JSON, that other shorteners and spreadsheets use for a field besides its name in
 * our API. `plain` has been applied to them.
 */
const others: Readonly<Partial<Record<ShownName, string>>> = {
  title: 'linkname linktitle name description titel titre titulo bezeichnung designation 标题 標題',
  tags: 'labels label tag schlagworter schlagworte schlagwort etiquettes etiquetas campaign kampagne campagne campana 标签 標籤',
  maxVisits:
    'maxclicks maxhits maxviews maxuses visitlimit clicklimit clickslimit expireatviews expireatclicks expirationhits ' +
    'expirationclicks besuchslimit limitedevisites limitedevisitas 访问次数上限 造訪次數上限',
  startDate:
    'start startsat startat validsince validfrom erstertag premierjour primerdia startdatum gultigab gultigvon aktivab ab beginn valableapartirdu ' +
    'datededebut debut fechadeinicio inicio validodesde desde 生效日期 生效日 ' +
    'startdatepauseduntil startdatumpausiertbis datededebutenpausejusquela fechadeinicioenpausahasta 生效日期在此之前暂停 生效日期在此之前暫停',
  expiredUrl:
    'expireurl expiryurl expirationurl expiredredirect expiredredirecturl urlafterexpiry 过期后的去向 過期後的去向',
  forwardQuery: 'forwardparameters',
  previewTitle: 'ogtitle socialtitle st',
  previewDescription: 'ogdescription socialdescription sd',
  previewImage: 'ogimage socialimage socialimagelink si',
  confirm: 'askbeforeopening vordemoffnenfragen demanderavantdouvrir preguntarantesdeabrir 打开前先询问 開啟前先詢問',
  reference: 'externalid referenz referencia 参考编号 參考編號',
};

/** Names that have this meaning only beside another column: what Rebrandly calls public, another program may redirect. */
const beside: ReadonlyMap<string, string> = new Map([['ispublic', 'slashtag']]);

const ofFields = Object.fromEntries<readonly string[]>(
  shownNames.map((name) => [name, [plain(fields[name].parameter), ...words(others[name] ?? '')]]),
) as Record<ShownName, readonly string[]>;

/** The parts of a campaign. */
const ofUtm = Object.fromEntries<readonly string[]>(
  utmParts.map((part) => [utmName(part), [plain(utmName(part))]]),
) as Record<ReturnType<typeof utmName>, readonly string[]>;

/**
 * The names that this site and others use: Bitly, Rebrandly, Short.io, TinyURL, Dub, Polr, Shlink, YOURLS, Kutt, Firebase
 * Dynamic Links, and people in their spreadsheets. They have letters and digits only. The fields are looked up in this
 * order, and of the names of a field the first one that a source has is read.
 */
const names = {
  shortPart: words(
    'shortpart shorturlpart slug customurl shortcode keyword alias backhalf address slashtag path code key ' +
      'customending ending eigeneendung endung kurzel finpersonnalisee fin raccourci finalpersonalizado final ' +
      '自定义后缀 后缀 自訂後綴 後綴',
  ),
  // Before the short URL: a link beside a title is the long one, and beside a long URL the short one.
  url: words(
    'longurl originalurl destinationurl destination targeturl target deeplink longlink landingpage finalurl langeurl ' +
      'zielurl zielseite ziel urllongue pagedestination urllarga destino paginadedestino 长网址 長網址 目标网址 目標網址 网址 ' +
      '網址 链接 連結 url link lien enlace long',
  ),
  shortUrl: words(
    'shorturl shortlink shortdynamiclink tinyurl bitlink brandedlink kurzurl kurzlink urlcourte liencourt urlcorta ' +
      'enlacecorto 短网址 短網址 link lien enlace short',
  ),
  /** Further short URLs of the same link. */
  custom: words('customlink custombitlink custombitlinks customlinks custombackhalf'),
  domain: words('domain basedomain domaine dominio 域名 網域'),
  ...ofFields,
  ...ofUtm,
  /** Long URLs for visitors with such a device. */
  ios: words('ios iosurl ioslink iosdestination iostargeting ifl'),
  android: words('android androidurl androidlink androiddestination androidtargeting afl'),
  desktop: words('desktopurl desktoplink desktopdestination ofl'),
  /** Long URLs by country or device, in one column. */
  targets: words(
    'geolocationslinks geolocationlinks geolocations geolinks geotargets geotargeting geo countrytargets devicetargets ' +
      'devicetargeting',
  ),
  created: words(
    'created datecreated createdat creationdate createddate timecreated timestamp date creationtimestamp erstellt ' +
      'erstelltam erstellungsdatum angelegt angelegtam datum cree creele datedecreation creado creada creadoel ' +
      'fechadecreacion fecha 创建时间 创建日期 建立時間 建立日期',
  ),
  visits: words(
    'visits totalvisits visitcount visitscount totalengagements engagements clicks totalclicks hits linkclicks ' +
      'clickcount clickscount visitorcount visitors klicks aufrufe besuche clics visites visitas 点击 点击量 访问 訪問 造訪 點擊',
  ),
  lastVisit: words(
    'lastaccessed lastvisit lastclick lastclicked lastclickat letzterbesuch letzterklick dernierevisite dernierclic ' +
      'ultimavisita ultimoclic',
  ),
  end: words(
    'expiry expirydate expires expiresat expireat expireson expirein expireafter expiretime expirytime expireatdatetime ' +
      'validuntil validto expirationdate expirationat expirationtime expiresdate expiration linkexpiration enddate endsat endat ' +
      'ablaufdatum ablauf lauftab gultigbis aktivbis bis enddatum valablejusquau jusquau datedexpiration datedefin fechadecaducidad caducidad ' +
      'fechadefin fechafin validohasta validahasta hasta fin final ende 到期日期 到期日',
  ),
  /** Polr's: the second segment of the short part. */
  secretKey: words('secretkey'),
  status: words('status etat estado 状态 狀態'),
  password: words('password passwort motdepasse contrasena 密码 密碼'),
  /** Whether it is out of service, or since when. */
  disabled: words(
    'disabled disabledat isdisabled inactive isinactive suspended suspendedat issuspended banned bannedat isbanned ' +
      'blocked blockedat isblocked locked lockedat islocked deleted deletedat isdeleted expired isexpired ' +
      'deaktiviert gesperrt geloscht desactive bloque supprime desactivado bloqueado eliminado 已停用 已禁用 已封锁 已封鎖 已删除 已刪除',
  ),
  /** Whether it is in service. */
  enabled: words('active isactive enabled isenabled aktiv aktiviert actif activo activado 启用 啟用'),
  /** Whether it has a password that is elsewhere. */
  locked: words(
    'haspassword passwordprotected ispasswordprotected isprotected protected passwordenabled passwordenabledat ' +
      'requirespassword requirepassword passwordrequired needspassword usespassword passwordhash hashedpassword ' +
      'encryptedpassword passworddigest hasapassword hateinpasswort aunmotdepasse tienecontrasena 有密码 有密碼',
  ),
  /** Blocked by the operator of the other site. Only Kutt tells that apart. */
  blocked: words(''),
  /** Says nothing about whether a link works. */
  nothing: words(
    'id uuid linkid userid ownerid ip owner ownername author user createdby creator updatedby updated updatedat ' +
      'geandert geandertam aktualisiert modifie modifiele actualizado modificado modified modifiedat lastmodified lastupdated changed changedat edited editedat archived archivedat isarchived ' +
      'favorite favourite isfavorite iscustom isapi integrated cloaking proxy rewrite doindex trackconversion publicstats ' +
      'analyticsenabled analyticspublic easydeeplink linktype ispublic blockbots passwordcontact note notes comment comments folder group workspace ' +
      // The days whose visits the dashboard has in its files.
      'visitsfrom visitsuntil besuchevon besuchebis visitesdu visitesau visitasdesde visitashasta 访问开始日期 访问结束日期 造訪開始日期 造訪結束日期',
  ),
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** What a column can be. */
export type Field = keyof typeof names;

export const fieldNames = Object.keys(names) as readonly Field[];

/** Fields that can put a link out of service or lock it. */
export const protectiveFields = ['disabled', 'enabled', 'locked', 'password'] as const satisfies readonly Field[];

export type ProtectiveField = (typeof protectiveFields)[number];

/** Names that a format has besides those above, or for another field. */
export type MoreNames = Readonly<Partial<Record<Field, readonly string[]>>>;

/** Fields of which every column counts, most of them because each may end a link or keep visitors from it. */
const ofAll: ReadonlySet<Field> = new Set(['end', 'maxVisits', 'nothing', 'targets', ...protectiveFields]);

/** Whether every column of a field counts, and not only one. */
export function isOfAll(field: Field): boolean {
  return ofAll.has(field);
}

/** The column of a field. */
export interface FieldPlace {
  readonly place: number;
  readonly name: string;
}

/** Finds the columns of fields by their names. */
export class Columns {
  readonly #places = new Map<Field, FieldPlace[]>();
  /** The columns that nothing reads, and that nobody has chosen not to use. */
  readonly unknown: readonly FieldPlace[];

  /**
   * @param chosen what a person has chosen for each column: its field, null to leave it out, undefined for what its name
   *   says
   * @param fits whether a column can be of the field that its name says, by what it has
   */
  constructor(
    header: readonly string[],
    more: MoreNames = {},
    chosen: ReadonlyArray<Field | null | undefined> = [],
    fits: (field: Field, place: number) => boolean = () => true,
  ) {
    const present = header.map(plain);
    const taken = new Set<number>();
    const take = (field: Field, place: number): void => {
      taken.add(place);
      this.#places.set(field, [...(this.#places.get(field) ?? []), {place, name: header[place] ?? ''}]);
    };
    for (const [place, field] of chosen.entries()) {
      if (field === undefined) continue;
      if (field === null) taken.add(place);
      else take(field, place);
    }
    const isMeant = (name: string): boolean => {
      const other = beside.get(name);
      return other === undefined || present.includes(other);
    };
    // What a format calls a field comes before what others do.
    for (const source of [more, names]) {
      for (const field of fieldNames) {
        const found = (source[field] ?? []).filter(isMeant).map((name) => present.indexOf(name));
        const free = found.filter((place) => place >= 0 && !taken.has(place) && fits(field, place));
        if (ofAll.has(field)) for (const place of free) take(field, place);
        else if (free[0] !== undefined && !this.has(field)) take(field, free[0]);
      }
    }
    this.unknown = header
      .map((name, place) => ({place, name: name.trim() === '' ? `column ${place + 1}` : name}))
      .filter(({place}) => !taken.has(place));
  }

  has(field: Field): boolean {
    return this.#places.has(field);
  }

  /** The field of a column. */
  at(place: number): Field | undefined {
    return fieldNames.find((field) => this.each(field).some((each) => each.place === place));
  }

  /** The columns of a field. */
  each(field: Field): readonly FieldPlace[] {
    return this.#places.get(field) ?? [];
  }
}

export function words(text: string): readonly string[] {
  return text.split(' ').filter(Boolean);
}
