import {maxAccounts} from '../src/accounts/accounts.ts';
import {minSecretLength} from '../src/accounts/seal.ts';
import {keyLabel, maxKeys} from '../src/accounts/keys.ts';
import {lifeInDays, maxPerDay, maxRefunds, maxSum} from '../src/conversions/conversions.ts';
import {conversionId, conversionValue} from '../src/conversions/input.ts';
import {maxRows} from '../src/dashboard/forms/rows.ts';
import {maxDescription} from '../src/dashboard/settings.ts';
import {operations} from '../src/http/api/operations.ts';
import {maxBody} from '../src/http/koa/json-body.ts';
import {fieldNames, shownNames} from '../src/link/fields.ts';
import {maxEncoded} from '../src/link/short-part.ts';
import {maxUrlBytes} from '../src/link/urls.ts';
import {blockReason} from '../src/links/change/block.ts';
import {maxBlocks} from '../src/links/change/recent-blocks.ts';
import {maxSummed} from '../src/links/links.ts';
import {maxDays as maxSweepDays} from '../src/links/change/sweep.ts';
import {dayCount, maxSearched, pageLimit, searchText, usualLimit} from '../src/links/list/query.ts';
import {maxRanked} from '../src/links/list/rankings.ts';
import {maxUnderWay} from '../src/links/many.ts';
import {qrSize, usualSize} from '../src/links/qr/qr-code.ts';
import {maxCounters, maxLinks as maxCompared} from '../src/links/stats/comparison.ts';
import {maxCurrencies, maxNames} from '../src/links/stats/conversion-names.ts';
import {maxDays} from '../src/links/stats/visit-stats.ts';
import {maxOffered, maxQuestions, maxServed, maxUnserved} from '../src/links/user-domains.ts';
import {exportHeader} from '../src/tools/export/export-csv.ts';
import {maxAccountName} from '../src/values/account-name.ts';
import {enumerated, grouped} from '../src/values/describe.ts';
import type {Shape} from '../src/values/shape.ts';
import {maxBytes as maxDetails, maxValueLength, maxValues} from '../src/visits/detail-values.ts';
import {maxRow} from '../src/tools/tables/tables.ts';
import {maxCounted} from '../src/link/counters.ts';
import {intentLife, maxKey} from '../src/links/create/intents.ts';
import {attributionOptions} from '../src/shortener/options.ts';
import {maxKeys as maxChecked} from '../src/tools/check/check-content.ts';
import {maxToken} from '../src/tools/import/formats/sql-tokens.ts';
import {atOnce as importedAtOnce} from '../src/tools/import/import-links.ts';
import {maxLines} from '../src/tools/import/import-report.ts';
import {windowLength} from '../src/visits/attempts.ts';
import {maxBytes as maxCached} from '../src/visits/redirects.ts';
import {maxBytes as maxPending} from '../src/visits/visit-log.ts';

/** A sentence in a file that tells a number, bounds or names of the program. `{}` stands for them. */
type Place = readonly [file: string, text: string, value: number | string];

const ofLinks = 'src/links/operations.ts';
const conversion = 'src/conversions/conversion.ts';
const statistics = 'src/links/stats/statistics.ts';
const compared = 'src/links/stats/compared.ts';
const listed = 'src/links/list/listed-links.ts';
const shortener = 'src/shortener/short-url.ts';
const reference = 'docs/reference.md';
const getApi = 'docs/get-api.md';
const conversions = 'docs/conversions.md';

/** `a`, `b` and `c`, as code. */
function all(names: readonly string[]): string {
  return enumerated(names.map(code), 'and');
}

function code(name: string): string {
  return `\`${name}\``;
}

/** Fields of which the reference says nothing but their names. */
function otherFields(names: readonly string[], told: readonly string[]): string {
  return names
    .filter((name) => !told.includes(name))
    .map(code)
    .join(', ');
}

const ofGets = [...operations.values()].filter(({isPostOnly}) => isPostOnly !== true);
/** The parameters that a path may have, and whose shape is such a one. */
function parametersOfPaths(isSuch: (shape: Shape) => boolean): string {
  const names = ofGets.flatMap(({parameters}) =>
    Object.entries(parameters).flatMap(([name, {shape}]) => (isSuch(shape) ? [name] : [])),
  );
  return all([...new Set(names)]);
}
const postOnly = [...operations].flatMap(([name, {isPostOnly}]) => (isPostOnly === true ? [name] : []));

const account = `1 to ${maxAccountName}`;
const minute = 60_000;
const hour = 60 * minute;
const mebibyte = 1024 * 1024;
const security = 'SECURITY.md';
const deployment = 'docs/deployment.md';
const importing = 'docs/importing.md';
const client = 'src/client/options.ts';

const places: readonly Place[] = [
  ['README.md', '// {} or more random characters', minSecretLength],
  ['src/dashboard/options.ts', 'At most {} characters are shown', maxDescription],
  [getApi, 'The values of {} are base64', parametersOfPaths(({isEncoded}) => isEncoded === true)],
  [getApi, '- Separate {} by commas', parametersOfPaths(({schema}) => schema.items?.type === 'string')],
  [getApi, '- {} are POST only', all(postOnly)],
  ['docs/api.md', '`Idempotency-Key`: 1 to {} visible ASCII characters', maxKey],
  ['src/link/link.ts', '1 to {} visible ASCII characters', maxKey],
  ['src/link/link.ts', 'with the same key and link within {} hours', intentLife / hour],
  ['docs/api.md', 'For {} hours, the same account, key and parameters', intentLife / hour],
  [client, 'repeated `create` or `createMany` safe for {} hours', intentLife / hour],
  [client, '1 to {} visible ASCII characters', maxKey],
  [security, 'at a link in {} minutes, across', windowLength / minute],
  [security, 'is stored for {} minutes under a digest', windowLength / minute],
  [security, 'cached links ({} MB)', maxCached / mebibyte],
  [security, 'kept during an outage ({} MB)', maxPending / mebibyte],
  [deployment, 'before an outage: {} MB', maxCached / mebibyte],
  [deployment, 'wait for an outage to end: {} MB', maxPending / mebibyte],
  [deployment, 'values of visit details: {} MB', maxDetails / mebibyte],
  [deployment, 'Of a large store it reads about {} records', maxChecked],
  [importing, 'the visits of the last {} links', importedAtOnce],
  [importing, 'a link or value may have {} characters', maxRow],
  [importing, 'a row of an SQL dump {} MB', maxToken / mebibyte],
  [importing, '`report` has the first {} lines', maxLines],
  ['docs/api.md', 'at most {} kB; without parameters', maxBody / 1024],
  ['docs/dashboard.md', 'takes up to {} long URLs', maxRows],
  ['docs/domains.md', 'in the form for a new link, up to {}.', maxOffered],
  ['docs/domains.md', 'remembers {} domains that you serve', maxServed],
  ['docs/domains.md', 'and {} that you do not, in separate lists', maxUnserved],
  ['docs/domains.md', 'It asks at most {} questions at once', maxQuestions],
  ['docs/links.md', 'The URLs of a link may have {} bytes in total', maxUrlBytes],
  ['docs/links.md', 'process up to {} links at once', maxUnderWay],
  ['docs/links.md', 'a short part has at most {} bytes', maxEncoded],
  [conversions, 'is what was done: 1 to {} characters', maxCounted],
  [conversions, 'A site has at most {} names', maxNames],
  [conversions, 'we set a cookie for {} days', attributionOptions.maxAge.default / (24 * 60 * 60)],
  [conversions, 'such as the number of the order: {}, or an integer', conversionId.bounds],
  [conversions, 'The same name and id count once in {} days', lifeInDays],
  [conversions, 'is an integer from {} in the smallest unit', conversionValue.bounds],
  [conversions, 'add up to at most {} for a link and for its account', maxSum],
  [conversions, 'A site has at most {}, and each account as many for its API calls', maxCurrencies],
  [conversions, 'A conversion can be refunded for {} days', lifeInDays],
  [conversions, 'at most {} times. `refund` resolves', maxRefunds],
  [conversions, 'record at most {} conversions and new customers per day', maxPerDay],
  [conversions, '| {} days from the first call', lifeInDays],
  [reference, 'An account is a string of {} characters or a safe integer', account],
  [reference, 'creates up to {} accounts', maxAccounts],
  [reference, 'can have up to {} labelled keys', maxKeys],
  [
    reference,
    'default: the [option](#forwardquery)\n- {}, `reuse`\n',
    otherFields(fieldNames, ['url', 'customUrl', 'baseDomain', 'expiryDate', 'startDate', 'forwardQuery']),
  ],
  [reference, 'see [answers](api.md#answers)\n- {}\n', otherFields(shownNames, ['startDate'])],
  ['docs/moving.md', 'The columns are {}. For each currency', all(exportHeader)],
  [reference, '`label` has {}.', keyLabel.bounds],
  [reference, 'from a sync or async iterable, up to {} at once', maxUnderWay],
  [reference, 'the days with any among the last {}, oldest first', maxDays],
  [reference, '`size` is {} pixels', qrSize.bounds],
  [reference, 'pixels, default {}.', usualSize],
  [reference, 'with or without its scheme; {}\n', searchText.bounds],
  [reference, 'for at most {} links (otherwise `too_many_links`)', maxRanked],
  [reference, 'for at most {} accounts (otherwise `too_many_links`)', maxRanked],
  ['src/links/account-info.ts', 'Up to {} accounts; the order', maxRanked],
  ['src/links/admin.ts', '*   {} accounts', maxRanked],
  [reference, 'among the newest {} of links and accounts', maxBlocks],
  [reference, '- `limit`: {}, default', pageLimit.bounds],
  [reference, ', default {}\n- `cursor`', usualLimit],
  [reference, '- `days`: {}: adds', dayCount.bounds],
  [reference, '`limit` defaults to {}.', pageLimit.max],
  [reference, 'reads the newest {} links that match', maxCompared],
  [reference, 'or fewer if they have more than {} counters', maxCounters],
  [reference, 'adds up the newest {} links that match', maxSummed],
  [reference, 'if no such conversion was recorded in the last {} days', lifeInDays],
  [reference, '(conversions.md#know-your-customers): {}, or an integer', conversionId.bounds],
  [reference, '`reason` has {}.', blockReason.bounds],
  [shortener, 'a string of {} characters or a safe integer', account],
  [shortener, 'Creates at most {} accounts', maxAccounts],
  [shortener, 'The same name and id count once in {} days', lifeInDays],
  [shortener, 'was recorded in the last {} days', lifeInDays],
  [shortener, "the host's own id of the person: {}, or an integer", conversionId.bounds],
  ['src/accounts/accounts.ts', 'by a string of {} characters or a safe integer', account],
  ['src/accounts/keys.ts', 'What the key is for: {}.', keyLabel.bounds],
  [conversion, '1 to {} of `a-z 0-9 _`, such as `order`', maxCounted],
  [conversion, 'A site has at most {} different names', maxNames],
  [conversion, 'the number of the order, for example. {}, or an integer', conversionId.bounds],
  [conversion, 'An integer from {} in the smallest unit', conversionValue.bounds],
  [conversion, "The host's own id of the person: {}, or an integer", conversionId.bounds],
  [conversion, 'What makes the refund one: {}, or an integer', conversionId.bounds],
  ['src/links/change/block.ts', 'Shown to the owner: {}.', blockReason.bounds],
  ['src/links/change/sweep.ts', 'expired at least so many days ago: {}.', `1 to ${grouped(maxSweepDays)}`],
  ['src/links/change/sweep.ts', 'so many days, and not younger: {}.', `1 to ${grouped(maxSweepDays)}`],
  [listed, 'The maximum number of items to return, {}.', pageLimit.bounds],
  [listed, 'Up to {} links; the order', maxRanked],
  ['docs/operator.md', 'sorts at most {} of them', maxRanked],
  [listed, 'by default {} links, newest first', usualLimit],
  [listed, 'by day for the last {} days', dayCount.bounds],
  [ofLinks, 'neither a string of {} characters nor', account],
  [ofLinks, 'Creates many links, up to {} at once', maxUnderWay],
  [ofLinks, 'Reads the newest {} links with their counters', maxCompared],
  ['src/links/qr/qr-code.ts', 'The width and height in pixels: {}.', qrSize.bounds],
  ['src/links/qr/qr-code.ts', '@default {}\n', usualSize],
  [statistics, 'The days with visits or conversions among the last {}, oldest first', maxDays],
  [statistics, 'At most {} characters. `other` is', maxValueLength],
  [statistics, 'the sum of the values beyond the first {}.', maxValues],
  [compared, 'all time, and the first {}.', usualLimit],
  [compared, 'At most the newest {} links are read', maxCompared],
  ['src/links/account-info.ts', 'the newest {}, or those found', maxSummed],
  ['src/links/account-info.ts', 'found among the newest {}.', maxSearched],
];

/** The files with such sentences. */
export const filesWithFacts: readonly string[] = [...new Set(places.map(([file]) => file))];

/**
 * The text of a file with what the program has.
 *
 * @throws Error if a sentence is not in it
 */
export function withFacts(file: string, text: string): string {
  let written = text;
  for (const [, sentence, value] of places.filter(([each]) => each === file)) {
    const [before = '', after = ''] = sentence.split('{}').map(pattern);
    const place = new RegExp(
      `(?<=${before})${typeof value === 'number' ? '[\\d,]+' : '[^.:;]{1,1000}?'}(?=${after})`,
      'g',
    );
    if (!place.test(written)) throw new Error(`${file} does not say "${sentence}"`);
    written = written.replaceAll(place, typeof value === 'number' ? grouped(value) : value);
  }
  return written;
}

/** White space may be the end of a line, also in a comment. */
function pattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`).replaceAll(' ', String.raw`\s+(?:\*\s+)?`);
}
