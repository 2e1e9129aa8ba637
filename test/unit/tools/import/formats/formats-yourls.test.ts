import test from 'ava';
import {isLinear} from '../../../../support/linear.ts';
import {linesOf} from '../../../../support/tools/lines.ts';

/** The dump of mysqldump for a database of YOURLS. */
const dump = `-- MySQL dump 10.19  Distrib 10.3.39-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: yourls
-- It's a comment with an apostrophe
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40103 SET TIME_ZONE='+00:00' */;

DROP TABLE IF EXISTS \`yourls_log\`;
CREATE TABLE \`yourls_log\` (
  \`click_id\` int(11) NOT NULL AUTO_INCREMENT,
  \`shorturl\` varchar(100) COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (\`click_id\`)
) ENGINE=InnoDB;
INSERT INTO \`yourls_log\` VALUES (1,'one; INSERT INTO \`yourls_url\` VALUES ('),(2,'it''s');

DROP TABLE IF EXISTS \`yourls_url\`;
/*!40101 SET character_set_client = utf8 */;
CREATE TABLE \`yourls_url\` (
  \`keyword\` varchar(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  \`url\` text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  \`title\` text COLLATE utf8mb4_unicode_ci DEFAULT NULL,
  \`timestamp\` timestamp NOT NULL DEFAULT current_timestamp(),
  \`ip\` varchar(41) COLLATE utf8mb4_unicode_ci NOT NULL,
  \`clicks\` int(10) unsigned NOT NULL,
  PRIMARY KEY (\`keyword\`),
  KEY \`ip\` (\`ip\`),
  KEY \`url_idx\` (\`url\`(30))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

LOCK TABLES \`yourls_url\` WRITE;
/*!40000 ALTER TABLE \`yourls_url\` DISABLE KEYS */;
INSERT INTO \`yourls_url\` VALUES ('ozh','https://ozh.org/?a=1&b=(2),(3);','It\\'s \\"Ozh\\" \\\\ \\r\\n''quoted''; -- no comment','2012-04-05 06:07:08','127.0.0.1',1024),
('aBc','https://müller.example/#x',NULL,'0000-00-00 00:00:00','::1',0),('abc','https://b.example/',_utf8mb4'Titel','2024-02-29 23:59:59','::1',3);
/*!40000 ALTER TABLE \`yourls_url\` ENABLE KEYS */;
UNLOCK TABLES;
`;

const links = [
  {
    line: 32,
    shortPart: 'ozh',
    url: 'https://ozh.org/?a=1&b=(2),(3);',
    title: "It's \"Ozh\" \\ \r\n'quoted'; -- no comment",
    created: Date.UTC(2012, 3, 5, 6, 7, 8),
    visits: 1024,
  },
  {line: 33, shortPart: 'aBc', url: 'https://müller.example/#x'},
  {
    line: 33,
    shortPart: 'abc',
    url: 'https://b.example/',
    title: 'Titel',
    created: Date.UTC(2024, 1, 29, 23, 59, 59),
    visits: 3,
  },
];

test('a dump of mysqldump is read, in parts of any size', async (t) => {
  for (const size of [1, 2, 3, 5, 64, 1000, Number.POSITIVE_INFINITY]) {
    t.deepEqual(await linesOf('yourls', dump, {size}), links, `parts of ${size}`);
  }
});

test('a dump in one text is read in linear time', async (t) => {
  const row = (number: number): string =>
    `('n${number}','https://a.example/${number}',NULL,'2020-01-02 03:04:05','',7)`;
  const read = async (count: number): Promise<void> => {
    const rows = Array.from({length: count}, (_, number) => row(number));
    t.is((await linesOf('yourls', `INSERT INTO yourls_url VALUES ${rows.join(',')};`)).length, count);
  };
  t.true(await isLinear(1000, read));
});

test('a text of megabytes in another table ends where it ends, however much follows', async (t) => {
  const more = `-- ${'x'.repeat(1000)}\n`.repeat(9000);
  for (const length of [200_000, 5_000_000]) {
    const long = `INSERT INTO \`yourls_options\` VALUES (1,'a','${'x'.repeat(length)}');\n`;
    const lines = await linesOf('yourls', `${long}${dump}${more}`);
    t.is(lines.length, links.length, `${length} characters`);
  }
});

/** The table in a dump of phpMyAdmin, with a prefix, another order of columns, and a column of a plugin. */
const phpMyAdmin = `-- phpMyAdmin SQL Dump
-- version 5.2.1
SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;
SET time_zone = "+00:00";
# another comment; with 'a quote

--
-- Dumping data for table \`go_url\`
--

INSERT INTO \`go_url\` (\`clicks\`, \`keyword\`, \`url\`, \`title\`, \`timestamp\`, \`ip\`, \`expiry\`) VALUES
(5, 'one', 'https://a.example/', 'One', '2020-01-02 03:04:05', '::1', NULL),
(-1, 'two', 'https://b.example/', 0x54776f, '2020-01-02 03:04:05', '::1', now());
INSERT IGNORE INTO \`yourls\`.\`go_url\` (\`keyword\`, \`url\`) VALUES ('three', "https://c.example/\\"quote");
REPLACE INTO go_url (keyword, url, clicks) VALUES ('four', 'https://d.example/', 7)
  ON DUPLICATE KEY UPDATE url = VALUES(url);
`;

test('a dump of phpMyAdmin is read, with other columns and another prefix', async (t) => {
  const lines = await linesOf('yourls', phpMyAdmin, {size: 7, zone: '+02:00'});
  t.deepEqual(lines, [
    {
      line: 13,
      shortPart: 'one',
      url: 'https://a.example/',
      title: 'One',
      created: Date.UTC(2020, 0, 2, 1, 4, 5),
      visits: 5,
    },
    {
      line: 14,
      shortPart: 'two',
      code: 'unreadable_number',
      message: 'The number of visits must be an integer that is not negative.',
    },
    {line: 15, shortPart: 'three', url: 'https://c.example/"quote'},
    {line: 16, shortPart: 'four', url: 'https://d.example/', visits: 7},
  ] as unknown as typeof lines);
});

test('a line of a comment may be empty, before a statement and at the end', async (t) => {
  const file = `#
# Data of table \`yourls_url\`
#

CREATE TABLE \`yourls_url\` (\`keyword\` varchar(100), \`url\` text);
#
INSERT INTO \`yourls_url\` VALUES ('one', 'https://a.example/');
--
INSERT INTO \`yourls_url\` VALUES ('two', 'https://b.example/');
#`;
  t.like(await linesOf('yourls', file), [{shortPart: 'one'}, {shortPart: 'two'}]);
});

test('names may be unquoted, or quoted as in ANSI mode', async (t) => {
  for (const mark of ['', '"']) {
    const named = (name: string): string => `${mark}${name}${mark}`;
    const file = `CREATE TABLE ${named('yourls_url')} (
  ${named('clicks')} int(10) unsigned NOT NULL,
  ${named('keyword')} varchar(100) NOT NULL DEFAULT '',
  ${named('url')} text NOT NULL,
  PRIMARY KEY (${named('keyword')}),
  KEY ${named('url_idx')} (${named('url')}(30)));
INSERT INTO ${named('yourls_url')} VALUES (5,'one','https://a.example/');
INSERT INTO ${named('yourls_url')} (${named('url')}, ${named('keyword')}) VALUES ('https://b.example/','two');
`;
    t.like(await linesOf('yourls', file), [
      {line: 7, shortPart: 'one', url: 'https://a.example/', visits: 5},
      {line: 8, shortPart: 'two', url: 'https://b.example/'},
    ]);
  }
});

test('a dump without the table, and one that ends inside a text, are refused', async (t) => {
  await t.throwsAsync(linesOf('yourls', 'CREATE TABLE `links` (`keyword` text);'), {code: 'malformed_file'});
  const cut = dump.slice(0, dump.indexOf('no comment'));
  await t.throwsAsync(linesOf('yourls', cut), {code: 'malformed_file', message: /line 32/});
});

test('rows that are no list of values are refused, and not left out', async (t) => {
  for (const rows of [
    "SET `keyword` = 'one', `url` = 'https://a.example/'",
    'SELECT * FROM `other`',
    'TABLE `other`',
  ]) {
    const error = await t.throwsAsync(linesOf('yourls', `-- a dump\nINSERT INTO \`yourls_url\` ${rows};`));
    t.like(error, {code: 'malformed_file'}, rows);
    t.regex(error.message, /^Line 2: .*list of values/);
  }
});

const table = `"one","https://a.example/?x=1;y","A ""title""","2020-01-02 03:04:05","127.0.0.1","12"
"two","https://b.example/",NULL,"2020-01-02 03:04:05","127.0.0.1","0"
`;

test('the table as CSV is read with and without column names', async (t) => {
  const expected = [
    {shortPart: 'one', url: 'https://a.example/?x=1;y', title: 'A "title"', visits: 12},
    {shortPart: 'two', url: 'https://b.example/'},
  ];
  const created = Date.UTC(2020, 0, 2, 3, 4, 5);
  t.deepEqual(
    await linesOf('yourls', table),
    expected.map((link, index) => ({...link, line: index + 1, created})),
  );
  t.deepEqual(
    await linesOf('yourls', `keyword,url,title,timestamp,ip,clicks\n${table}`),
    expected.map((link, index) => ({...link, line: index + 2, created})),
  );
  await t.throwsAsync(linesOf('yourls', 'keyword,clicks\none,5\n'), {code: 'malformed_file'});
  await t.throwsAsync(linesOf('yourls', '{"data": []}'), {code: 'malformed_file'});
  await t.throwsAsync(linesOf('yourls', ''), {code: 'malformed_file'});
});

test('a statement of many words and an unfinished text are read in linear time and refused', async (t) => {
  for (const [begin, part] of [
    ['INSERT INTO `yourls_url` ', 'x '],
    ["INSERT INTO `yourls_url` VALUES ('", 'x\\\\'],
    ['INSERT INTO `yourls_url` VALUES (', '1,'],
  ] as const) {
    const read = (count: number) =>
      t.throwsAsync(linesOf('yourls', begin + part.repeat(count)), {code: 'malformed_file'});
    t.true(await isLinear(10_000, read), begin);
  }
});

test('a literal of SQL with a type is read, and an expression is not taken for nothing', async (t) => {
  const insert = (values: string): string =>
    `INSERT INTO \`yourls_url\` (\`keyword\`,\`url\`,\`timestamp\`,\`clicks\`) VALUES (${values});\n`;
  const day = Date.UTC(2024, 1, 29, 10);
  for (const literal of [
    "TIMESTAMP '2024-02-29 10:00:00'",
    "{ts '2024-02-29 10:00:00'}",
    "X'323032342d30322d32392031303a30303a3030'",
  ]) {
    t.like((await linesOf('yourls', insert(`'one',X'68747470733a2f2f612e6578616d706c652f',${literal},7`)))[0], {
      shortPart: 'one',
      url: 'https://a.example/',
      created: day,
      visits: 7,
    });
  }
  for (const [values, code] of [
    ["'one','https://a.example/',now(),7", 'unreadable_date'],
    ["'one','https://a.example/',NULL,3+4", 'unreadable_number'],
    ["'one',concat('https://','a.example/'),NULL,7", 'unreadable_row'],
  ] as const) {
    t.like((await linesOf('yourls', insert(values)))[0], {code}, values);
  }
});
