import type {Link} from '../../../src/index.ts';
import type {ImportFormat, ImportOptions} from '../../../src/tools/import/import-options.ts';

/** A file as a program or a person has written it, and what an import makes of it. */
export interface CorpusFile {
  readonly what: string;
  readonly format?: ImportFormat;
  readonly file: string | Uint8Array;
  readonly options?: Partial<ImportOptions>;
  /** The links by their short parts. */
  readonly becomes: Readonly<Record<string, Partial<Link>>>;
  /** The lines of the report, as `line code`. */
  readonly told?: readonly string[];
  readonly ignored?: readonly string[];
}

const a = 'https://a.example/';
const b = 'https://b.example/';
const open = {status: 'active', expiryDate: null} as const;
const closed = {status: 'disabled'} as const;

/** A table with a link and another column, in rows of short part and value. */
function column(heading: string, ...values: readonly string[]): string {
  return ['slug,url,' + heading, ...values.map((value, index) => `s${index},${a},${value}`)].join('\n');
}

/** A file that says by one value each that a link has no such thing. */
function nothing(heading: string, ...values: readonly string[]): Pick<CorpusFile, 'file' | 'becomes'> {
  return {
    file: column(heading, ...values),
    becomes: Object.fromEntries(
      values.map((_, index) => [`s${index}`, {...open, hasPassword: false, reference: null}]),
    ),
  };
}

/** A file whose link is disabled, because nothing reads a column that may close it. */
function doubted(heading: string, ...values: readonly string[]): CorpusFile {
  return {
    what: `an unknown column ${heading} of ${values.join(', ')}`,
    file: column(heading, ...values),
    becomes: Object.fromEntries(values.map((_, index) => [`s${index}`, closed])),
    told: values.map((_, index) => `${index + 2} protection_unknown`),
    ignored: [heading],
  };
}

/** One file in each of the separators. */
function separated(what: string, text: string, rest: Omit<CorpusFile, 'what' | 'file'>): CorpusFile[] {
  return [',', ';', '\t'].map((separator) => ({
    what: `${what}, separated by ${JSON.stringify(separator)}`,
    file: text.replaceAll('¦', separator),
    ...rest,
  }));
}

const cut = '"The mayor never saw this com';

/** Exports of other programs, and spreadsheets of people, with one fault or peculiarity each. */
export const corpus: readonly CorpusFile[] = [
  // Headings in the languages of people.
  ...separated(
    'a German spreadsheet',
    'Kürzel¦Zielseite¦Titel¦Startdatum¦Gültig bis¦Kampagne\nprogramm¦https://a.example/¦Programm¦01.06.2031¦31.12.2031¦Frühling\n',
    {
      becomes: {
        programm: {
          ...{originalUrl: a, title: 'Programm', tags: ['Frühling'], status: 'scheduled'},
          ...{startDate: '2031-06-01 00:00:00', expiryDate: '2031-12-31 23:59:59'},
        },
      },
    },
  ),
  {
    what: 'a German list with its dates and numbers',
    file: `Kurzlink;Ziel;Erstellt am;Geändert am;Klicks;Letzter Klick;Aktiv ab;Bis\nsho.rt/eins;${a};01.02.2030;02.02.2030;1.234;03.02.2030 10:00;01.03.2030;31.12.2031\n`,
    becomes: {
      eins: {
        ...{
          status: 'active',
          dateCreated: '2030-02-01 00:00:00',
          totalVisits: 1234,
          lastAccessed: '2030-02-03 10:00:00',
        },
        ...{startDate: '2030-03-01 00:00:00', expiryDate: '2031-12-31 23:59:59'},
      },
    },
    ignored: ['Geändert am'],
  },
  {
    what: 'a short URL with a query beside its short part',
    file: `short_url,slug,url\nhttps://sho.rt/one?from=mail,one,${a}\nhttps://sho.rt/two?from=mail,,${a}\n`,
    becomes: {one: {originalUrl: a}},
    told: ['3 not_a_link'],
  },
  {
    what: 'a French spreadsheet',
    file: 'Lien;Raccourci;Titre;Date de fin\nhttps://a.example/;été;Programme;31 décembre 2031\n',
    options: {shortParts: {unicode: true}},
    becomes: {été: {originalUrl: a, title: 'Programme', expiryDate: '2031-12-31 23:59:59'}},
  },
  {
    what: 'a Spanish spreadsheet',
    file: 'Enlace;Final;Título;Fecha de caducidad\nhttps://a.example/;programa;Programa;31 de diciembre de 2031\n',
    becomes: {programa: {originalUrl: a, title: 'Programa', expiryDate: '2031-12-31 23:59:59'}},
  },
  {
    what: 'a list of advertisements',
    file: 'Campaign,Final URL,Alias\nSpring,https://a.example/,spring\n',
    becomes: {spring: {originalUrl: a, tags: ['Spring']}},
  },
  {
    what: 'a link beside a title, which is the long one',
    file: 'Title,Link,Slug\nOne,https://a.example/,one\n',
    becomes: {one: {originalUrl: a, title: 'One'}},
  },
  {
    what: 'a link beside a URL, which is the short one',
    file: 'Link,URL\nhttps://sho.rt/one,https://a.example/\n',
    becomes: {one: {originalUrl: a, shortUrl: 'https://sho.rt/one'}},
  },
  // Dates.
  ...separated('dates with a dot', 'slug¦url¦expires\none¦https://a.example/¦31.12.31\n', {
    becomes: {one: {expiryDate: '2031-12-31 23:59:59'}},
  }),
  {
    what: 'dates of which one says that the day comes first',
    file: column('expires', '31/12/2031', '03/04/2032'),
    becomes: {s0: {expiryDate: '2031-12-31 23:59:59'}, s1: {expiryDate: '2032-04-03 23:59:59'}},
  },
  {
    what: 'dates of which one says that the month comes first',
    file: column('expires', '12/31/2031', '03/04/2032 6:00 PM'),
    becomes: {s0: {expiryDate: '2031-12-31 23:59:59'}, s1: {expiryDate: '2032-03-04 18:00:00'}},
  },
  {
    what: 'dates that contradict each other',
    file: column('expires', '12/31/2031', '31/12/2031', '03/04/2032'),
    options: {language: 'de'},
    becomes: {s0: {expiryDate: '2031-12-31 23:59:59'}, s1: {expiryDate: '2031-12-31 23:59:59'}},
    told: ['4 ambiguous_date'],
  },
  {
    what: 'a date whose day may be its month',
    file: column('expires', '03/04/2032'),
    becomes: {},
    told: ['2 ambiguous_date'],
  },
  {
    what: 'such a date with its language',
    file: column('expires', '03/04/2032'),
    options: {language: 'fr'},
    becomes: {s0: {expiryDate: '2032-04-03 23:59:59'}},
  },
  {
    what: 'such a date in English of the USA',
    file: column('expires', '03/04/2032'),
    options: {language: 'en-US'},
    becomes: {s0: {expiryDate: '2032-03-04 23:59:59'}},
  },
  {
    what: 'dates of Airtable and of Notion',
    file: 'Name,URL,Slug,Expires,Created\nOne,https://a.example/,one,12/31/2031 10:00am,"January 5, 2030 9:30 AM"\n',
    becomes: {one: {expiryDate: '2031-12-31 10:00:00', dateCreated: '2030-01-05 09:30:00'}},
  },
  {what: 'a date that is none', file: column('expires', 'soon', ''), becomes: {s1: open}, told: ['2 unreadable_date']},
  // Quotation marks.
  ...separated(
    'a title that was cut within its quotation marks',
    `slug¦url¦title¦visits\none¦${a}¦${cut}¦1\ntwo¦${b}¦"Two"¦2\nthree¦${b}¦Three¦3\n`,
    {
      becomes: {
        one: {title: cut, totalVisits: 1},
        two: {title: 'Two', totalVisits: 2},
        three: {title: 'Three', totalVisits: 3},
      },
    },
  ),
  {
    what: 'a title that was cut, in the table of YOURLS without headings',
    format: 'yourls',
    file: `one\t${a}\t${cut}\t2030-01-02 03:04:05\t::1\t7\ntwo\t${b}\t"Two"\t2030-01-02 03:04:05\t::1\t8\n`,
    becomes: {one: {title: cut, totalVisits: 7}, two: {title: 'Two', totalVisits: 8}},
  },
  {
    what: 'a title that was cut, of Bitly',
    format: 'bitly',
    file: `Link,Title,Long URL,Clicks\nhttps://bit.ly/one,${cut},${a},3\nhttps://bit.ly/two,Two,${b},4\n`,
    becomes: {one: {title: cut, totalVisits: 3}, two: {title: 'Two', totalVisits: 4}},
    told: ['2 domain_changed'],
  },
  {
    what: 'a title that was cut, of Shlink',
    format: 'shlink',
    file: `createdAt,shortUrl,longUrl,title,visits\n2030-01-02T03:04:05Z,https://sho.rt/one,${a},${cut},3\n2030-01-02T03:04:05Z,https://sho.rt/two,${b},"Two",4\n`,
    becomes: {one: {title: cut, totalVisits: 3}, two: {totalVisits: 4}},
  },
  {
    what: 'a title that was cut at a separator',
    file: `slug,url,title,visits\none,${a},"One, two, th\ntwo,${b},Two,2\n`,
    becomes: {two: {title: 'Two'}},
    told: ['2 unreadable_row'],
  },
  {
    what: 'a quotation mark in a title that is not quoted',
    file: `slug\turl\ttitle\none\t${a}\tThe 5" one\ntwo\t${b}\t"Yes" and "no\n`,
    becomes: {one: {title: 'The 5" one'}, two: {title: '"Yes" and "no'}},
  },
  // What may close a link.
  ...[
    doubted('pass', 's3cret'),
    doubted('pin', '1234'),
    doubted('access_code', 'x'),
    doubted('link_status', 'disabled', 'draft', 'retired'),
    doubted('visibility', 'PRIVATE', 'hidden'),
    doubted('is_private', 'true', '1'),
    doubted('is_public', 'false', '0', 'nein'),
    doubted('is_published', 'f'),
    doubted('state', 'paused'),
    doubted('removed_at', '2030-01-01 10:00:00'),
    doubted('trash', '1'),
    doubted('single_use', 'yes'),
    doubted('one_time', '1'),
    doubted('usage_limit', '5'),
    doubted('shown in the shop', 'nein'),
    doubted('Bis wann', '31.12.2030'),
  ],
  {
    what: 'unknown columns that close nothing',
    file: `slug,url,is_public,visibility,single_use,removed_at,usage_limit,link_status,team\none,${a},true,public,no,0000-00-00,0,active,Sales\n`,
    becomes: {one: open},
    ignored: ['is_public', 'visibility', 'single_use', 'removed_at', 'usage_limit', 'link_status', 'team'],
  },
  {
    what: 'an unknown column that is said to close nothing',
    file: column('is_branded', 'false', 'true'),
    options: {open: ['Is branded']},
    becomes: {s0: open, s1: open},
    ignored: ['is_branded'],
  },
  {
    what: 'the end of a link by other names',
    file: `slug,url,end_date,ends_at\none,${a},2032-01-01,2031-12-31\n`,
    becomes: {one: {expiryDate: '2031-12-31 23:59:59'}},
  },
  // First and last days of databases and spreadsheets.
  {
    what: 'dates that mean never',
    ...nothing(
      'expires',
      '9999-12-31',
      '31.12.9999',
      '0001-01-01 00:00:00',
      '1899-12-30',
      '01/01/1900',
      '1900-01-00',
      'never',
    ),
  },
  {
    what: 'creations and visits that mean never',
    file: `slug,url,created,last_visit,visits\none,${a},0001-01-01T00:00:00Z,1899-12-30,0\n`,
    becomes: {one: {dateCreated: '2031-05-06 12:00:00', lastAccessed: null}},
  },
  // Yes, no and nothing.
  {
    what: 'a yes and a no in the words of spreadsheets and databases',
    file: column('forward_query', 't', '1', 'TRUE', 'WAHR', 'VRAI', 'yes', 'f', '0', 'FALSCH', 'FAUX', 'no', ''),
    becomes: Object.fromEntries(
      Array.from({length: 12}, (_, index) => [`s${index}`, {forwardQuery: index < 6}] as const),
    ),
  },
  {
    what: 'a word that is neither yes nor no',
    file: column('forward_query', 'perhaps'),
    becomes: {},
    told: ['2 unreadable_status'],
  },
  ...['password', 'reference', 'expires', 'max_visits', 'expired_url'].map((heading) => ({
    what: `what files have for no ${heading}`,
    ...nothing(heading, 'NA', '[NULL]', '<null>', '(NULL)', '#NV', '#N/D', '#N/A', 'NULL', '\\N', 'None', '-'),
  })),
  // Names with several meanings.
  {
    what: 'a code that is the status of an answer',
    file: `short_url,url,code\nhttps://sho.rt/one,${a},301\nhttps://sho.rt/two,${a},301\n`,
    becomes: {one: open, two: open},
    ignored: ['code'],
  },
  {
    what: 'a French end that is a date',
    file: `Lien court;Destination;Fin\nhttps://sho.rt/un;${a};31/12/2031\n`,
    becomes: {un: {expiryDate: '2031-12-31 23:59:59'}},
  },
  {
    what: 'a key that is not the end of the short URL',
    file: `short_url,url,key\nhttps://sho.rt/one,${a},9f3\nhttps://sho.rt/two,${a},9f4\n`,
    becomes: {one: open, two: open},
    ignored: ['key'],
  },
  {
    what: 'a short part that is not that of its short URL, in one row',
    file: `short_url,url,slug\nhttps://sho.rt/one,${a},one\nhttps://sho.rt/007,${a},7\nhttps://sho.rt/two,${a},two\n`,
    becomes: {one: open, two: open},
    told: ['3 other_short_url'],
  },
  {
    what: 'a path that looks like a domain',
    file: `short_url,url\ngo/boots,${a}\n`,
    options: {shortParts: {segments: 2}},
    becomes: {'go/boots': {originalUrl: a, shortUrl: 'https://example.com/go/boots'}},
  },
  // What links here cannot have.
  {
    what: 'values beyond the bounds',
    file: `slug,url,ogTitle,ogImage,externalId,expired_url,rules\none,${a},${'x'.repeat(201)},http://a.example/a.png,${'y'.repeat(129)},/over,"[{""device"":""iOS"",""url"":""${b}""},{""device"":""fridge"",""url"":""${b}""}]"\n`,
    becomes: {
      one: {
        ...{...open, previewTitle: `${'x'.repeat(199)}…`, previewImage: null, reference: null, expiredUrl: null},
        rules: [{device: 'ios', url: b}],
      },
    },
    told: ['2 value_dropped', '2 rules_dropped', '2 value_changed', '2 value_dropped', '2 value_dropped'],
  },
  {
    what: "Firebase's Takeout",
    file: `short_link,link,apn,afl,amv,isi,ibi,ifl,ipfl,ofl,st,sd,si,utm_source,utm_medium,utm_campaign,utm_term,utm_content,archived,name,creation_timestamp\nhttps://x.page.link/m9Mm,${a},com.example,https://play.example/,,1,,https://apps.example/,,https://desk.example/,Card,About,https://a.example/i.png,mail,email,spring,,,false,Welcome,2023-05-17T10:20:30.123456Z\n`,
    becomes: {
      m9Mm: {
        ...{originalUrl: a, title: 'Welcome', previewTitle: 'Card', previewDescription: 'About'},
        ...{previewImage: 'https://a.example/i.png', dateCreated: '2023-05-17 10:20:30', status: 'active'},
        rules: [
          {device: 'ios', url: 'https://apps.example/'},
          {device: 'android', url: 'https://play.example/'},
          {device: 'desktop', url: 'https://desk.example/'},
        ],
        utm: {source: 'mail', medium: 'email', campaign: 'spring'},
      },
    },
    told: ['2 domain_changed'],
    ignored: ['apn', 'isi', 'archived'],
  },
  {
    what: 'an export of Dub',
    file: `id,domain,key,url,archived,expiresAt,expiredUrl,password,externalId,trackConversion,proxy,title,publicStats,ios,geo,shortLink,qrCode,clicks,lastClicked,createdAt,updatedAt,doIndex,rewrite\nx1,dub.sh,one,${a},false,,,,ext_1,false,false,T,false,,"{""DE"":""${b}""}",https://dub.sh/one,https://api.example/qr,5,2024-01-01T00:00:00.000Z,2023-01-01T00:00:00.000Z,2023-01-01T00:00:00.000Z,false,false\n`,
    becomes: {one: {status: 'active', reference: 'ext_1', totalVisits: 5, rules: [{country: 'DE', url: b}]}},
    told: ['2 domain_changed'],
    ignored: [
      'qrCode',
      ...['id', 'updatedAt', 'archived', 'proxy', 'rewrite', 'doIndex', 'trackConversion', 'publicStats'],
    ],
  },
  {
    what: 'an export of Rebrandly',
    file: `id,title,slashtag,destination,createdAt,updatedAt,shortUrl,status,linkType,clicks,isPublic,favourite,forwardParameters,integrated,creator\n1,T,spring,${a},2023-01-01T00:00:00.000Z,2023-01-01T00:00:00.000Z,rebrand.ly/spring,active,basic,4,false,false,true,false,me\n`,
    becomes: {spring: {status: 'active', forwardQuery: true, totalVisits: 4}},
    told: ['2 domain_changed'],
    ignored: ['id', 'creator', 'updatedAt', 'favourite', 'integrated', 'linkType', 'isPublic'],
  },
  {
    what: 'an export of Short.io',
    file: `originalURL,cloaking,password,expiresAt,title,DomainId,archived,source,redirectType,createdAt,OwnerId,updatedAt,secureShortURL,idString,shortURL,path,clicks\n${a},false,,,T,12,false,website,302,2023-01-01T00:00:00.000Z,5,2023-01-01T00:00:00.000Z,https://s.gy/one,lnk_1,https://s.gy/one,one,4\n`,
    becomes: {one: {status: 'active', totalVisits: 4}},
    told: ['2 domain_changed'],
    ignored: [
      'DomainId',
      'source',
      'redirectType',
      'secureShortURL',
      'idString',
      'OwnerId',
      'updatedAt',
      'archived',
      'cloaking',
    ],
  },
  {
    what: 'an export of TinyURL',
    file: `tiny_url,url,alias,domain,deleted,archived,created_at,expires_at,hits,analytics_enabled,analytics_public\nhttps://tinyurl.com/one,${a},one,tinyurl.com,false,false,2023-01-01T00:00:00+00:00,,4,true,false\n`,
    becomes: {one: {status: 'active', totalVisits: 4}},
    told: ['2 domain_changed'],
    ignored: ['archived', 'analytics_enabled', 'analytics_public'],
  },
  {
    what: 'an export of Polr',
    file: `id,short_url,long_url,ip,creator,clicks,secret_key,is_disabled,is_custom,is_api,created_at,updated_at,long_url_hash\n1,one,${a},::1,me,4,,0,1,0,2023-01-01 10:00:00,2023-01-01 10:00:00,abc\n2,two,${a},::1,me,4,key,1,0,0,2023-01-01 10:00:00,2023-01-01 10:00:00,abc\n`,
    options: {shortParts: {segments: 2}},
    becomes: {one: {status: 'active'}, 'two/key': closed},
    ignored: ['long_url_hash', 'id', 'ip', 'creator', 'updated_at', 'is_custom', 'is_api'],
  },
  {
    what: 'columns of ThirstyAffiliates',
    file: `Link Name,Destination URL,Slug,Categories,Geolocations Links\nOne,${a},one,Books,AU:https://au.example/;NZ:https://nz.example/?a;b\n`,
    becomes: {
      one: {
        title: 'One',
        rules: [
          {country: 'AU', url: 'https://au.example/'},
          {country: 'NZ', url: 'https://nz.example/?a;b'},
        ],
      },
    },
    ignored: ['Categories'],
  },
  {
    what: 'targets as JSON, by country and by device',
    file: `slug,destinationUrl,geoTargets,deviceTargets\none,${a},"{""DE"":""${b}""}","{""ios"":""https://i.example/"",""mobile"":""${b}""}"\n`,
    becomes: {
      one: {
        rules: [
          {country: 'DE', url: b},
          {device: 'ios', url: 'https://i.example/'},
        ],
      },
    },
    told: ['2 rules_dropped'],
  },
  {
    what: 'deep links of Bitly, which are named',
    format: 'bitly',
    file: JSON.stringify({
      links: [
        {link: 'https://bit.ly/one', long_url: a, deeplinks: [{app_id: 'com.example', os: 'ios'}], archived: true},
      ],
    }),
    becomes: {one: {originalUrl: a}},
    told: ['1 domain_changed'],
    ignored: ['deeplinks'],
  },
  {
    what: 'campaigns by the names of Short.io',
    file: `originalURL,path,utmSource,utmMedium,utmCampaign\n${a},one,mail,email,spring\n`,
    becomes: {one: {utm: {source: 'mail', medium: 'email', campaign: 'spring'}}},
  },
  // Encodings.
  {
    what: 'a dump in Latin-1',
    format: 'yourls',
    file: Buffer.from(
      `INSERT INTO \`yourls_url\` (\`keyword\`,\`url\`,\`title\`) VALUES ('one','${a}','Caf\xE9'),('two','${b}','Plain');\n`,
      'latin1',
    ),
    becomes: {two: {title: 'Plain'}},
    told: ['1 not_utf8'],
  },
  {
    what: 'URLs of WordPress, which all have &amp;',
    file: `slug,url\none,${a}?a=1&amp;b=2\ntwo,${a}?a=1&#038;b=2\nthree,${a}\n`,
    becomes: {
      one: {originalUrl: `${a}?a=1&b=2`},
      two: {originalUrl: `${a}?a=1&b=2`},
      three: {originalUrl: a},
    },
    told: ['2 url_entities', '3 url_entities'],
  },
  {
    what: 'URLs of which some have &amp;',
    file: `slug,url\none,${a}?a=1&amp;b=2\ntwo,${a}?a=1&b=2\n`,
    becomes: {one: {originalUrl: `${a}?a=1&amp;b=2`}, two: {originalUrl: `${a}?a=1&b=2`}},
    told: ['2 url_entities'],
  },
];
