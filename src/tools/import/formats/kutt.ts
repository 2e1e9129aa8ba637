import type {FormatSettings} from './format.ts';
import {readRecords, tellIgnored} from './json-records.ts';
import {readMoment} from './moments.ts';
import {readProtection} from './protection.ts';
import {readLine, type SourceLine} from './source-link.ts';
import {readCount, readFlag, readShortUrl, readText, required} from './values.ts';

const members = [
  ...['id', 'address', 'link', 'target', 'domain', 'domain_id', 'description', 'created_at', 'updated_at', 'expire_in'],
  ...['visit_count', 'password', 'banned', 'uuid'],
];

/** Links of Kutt, as its API lists them. Its links have a description instead of a title. */
export async function* readKutt(
  content: AsyncGenerator<string>,
  {zone, onIgnored}: FormatSettings,
): AsyncGenerator<SourceLine> {
  for await (const {number, fields} of readRecords(content, 'data')) {
    tellIgnored(fields, members, onIgnored);
    const short = readShortUrl(fields['link']);
    const shortPart = readText(fields['address']) ?? short?.shortPart;
    yield readLine(number, shortPart, () => ({
      line: number,
      shortPart: required(shortPart, 'address'),
      url: required(readText(fields['target']), 'target'),
      domain: readText(fields['domain']) ?? short?.domain,
      title: readText(fields['description']),
      created: readMoment(fields['created_at'], 'creation date', zone),
      end: readMoment(fields['expire_in'], 'expiry date', zone),
      visits: readCount(fields['visit_count'], 'number of visits'),
      isBlocked: readFlag(fields['banned']) === true,
      ...readProtection(Object.entries({...fields, banned: false})),
    }));
  }
}
