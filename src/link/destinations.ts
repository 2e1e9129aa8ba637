import type {FieldValues} from './fields.ts';
import {type LongUrl, targetOfUrl} from './long-url.ts';
import {malformed} from './readers.ts';
import {type LinkRecord, targetOf} from './record.ts';

/** In bytes of JSON: a record must fit into the tables of every store. */
const maxBytes = 60_000;

/** A URL of a link, and what messages call it. */
export interface Destination extends LongUrl {
  readonly what: string;
}

/** The URLs among the values of a link, in their order. Each of them passes the checks of a destination. */
export function urlsOf(values: {
  readonly [Name in 'url' | 'expiredUrl' | 'rules' | 'previewImage']?: FieldValues[Name] | null | undefined;
}): Destination[] {
  const {url, expiredUrl, rules, previewImage} = values;
  return [
    ...(url == null ? [] : [{...url, what: 'long URL'}]),
    ...(expiredUrl == null ? [] : [{...expiredUrl, what: 'URL after expiry'}]),
    ...(rules ?? []).map((rule, index) => ({
      url: rule.url,
      target: targetOfUrl(rule.url),
      what: `long URL of rule ${index + 1}`,
    })),
    ...(previewImage == null ? [] : [{...previewImage, what: 'image of the preview'}]),
  ];
}

/** Where a link may lead, as it goes into `Location`. */
export function targetsOf(record: LinkRecord): string[] {
  const {expiredUrl, rules = [], previewImage} = record;
  const others = [expiredUrl, ...rules.map(({url}) => url), previewImage].filter((url) => url !== undefined);
  return [targetOf(record), ...others.map(targetOfUrl)];
}

/** @throws ShortUrlError `malformed_parameter` if the URLs of the link take too much space */
export function checkSize(record: LinkRecord): LinkRecord {
  const {url, target, expiredUrl, rules, previewImage} = record;
  if ((expiredUrl ?? rules ?? previewImage) === undefined) return record;
  if (Buffer.byteLength(JSON.stringify([url, target, expiredUrl, rules, previewImage])) <= maxBytes) return record;
  throw malformed(
    `The long URL, the URL after expiry, the rules and the image of a link must have at most ${maxBytes} bytes in total.`,
  );
}
