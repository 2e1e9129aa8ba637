import type {Link} from '../../../link/link.ts';
import {qrFormat, qrSize, usualSize} from '../../../links/qr/qr-code.ts';
import {
  changeParameters,
  creationParameters,
  exampleUrl,
  nullable,
  ofLink,
  reference,
  shortUrl,
  span,
} from '../known-parameters.ts';
import {toCreateLink, toUpdateLink} from '../link-input.ts';
import type {Operation, Result, Values} from '../operation.ts';
import {
  changed,
  created,
  fullRecord,
  removed,
  shortRecord,
  statsFields,
  toFullRecord,
  toItem,
  variantFields,
} from '../records.ts';

/** In one call, tags are either replaced or added and removed. */
const changePath = Object.keys(changeParameters).filter((name) => !['add_tags', 'remove_tags', 'clear'].includes(name));

export const create: Operation = {
  summary: 'Create a short URL',
  description:
    'Creates a new short URL, even if the long URL already has one. Only `url` is required. It is active at once.',
  parameters: creationParameters,
  scope: 'create',
  isRepeatable: true,
  errors: ['too_many_requests'],
  answer: {sentence: 'The new link.', data: created},
  example: {url: 'https://example.org/a/long/one', custom_url: 'spring', tags: ['mail', 'posters'], max_visits: 100},
  run: async ({links}, {account, values, idempotencyKey}) => {
    const link = await links.create(account, toCreateLink(values), {idempotencyKey});
    const data = toItem(created, link);
    return {data, dateTime: idempotencyKey === undefined ? undefined : link.dateCreated};
  },
};

export const disable: Operation = {
  summary: 'Disable a short URL',
  description: 'Takes a short URL out of service: visitors get 410. A disabled short URL stays disabled.',
  parameters: ofLink,
  scope: 'full',
  errors: ['unknown_short_url'],
  answer: {sentence: 'The link, which is disabled now or was before.', data: changed('disabled')},
  example: {short_url: exampleUrl},
  run: async ({links}, {account, values}) => change(await links.disable(account, shortUrlIn(values))),
};

export const enable: Operation = {
  summary: 'Activate a short URL',
  description: 'Makes a disabled short URL active again. An active short URL stays active.',
  parameters: ofLink,
  scope: 'full',
  errors: ['unknown_short_url', 'link_blocked', 'link_expired'],
  answer: {sentence: 'The link, which is active now or was before.', data: changed('active', 'scheduled')},
  example: {short_url: exampleUrl},
  run: async ({links}, {account, values}) => change(await links.enable(account, shortUrlIn(values))),
};

export const info: Operation = {
  summary: 'Read a short URL',
  description: 'Returns the fields of a short URL and its visits. Name it by `short_url` or by `reference`.',
  parameters: {short_url: shortUrl, reference},
  oneOf: ['short_url', 'reference'],
  scope: 'read',
  errors: ['unknown_short_url'],
  answer: {sentence: 'A short record.', data: shortRecord},
  example: {short_url: exampleUrl},
  run: async ({links}, {account, values}) => {
    const named = values.get('reference') as string | undefined;
    const link = await links.info(account, named === undefined ? shortUrlIn(values) : {reference: named});
    return {data: toItem(shortRecord, link)};
  },
};

export const update: Operation = {
  summary: 'Change a short URL',
  description:
    'Changes the given fields and keeps the others. `null` clears a field, as `clear` does. After the answer all visitors get the changed short URL.',
  parameters: {...ofLink, ...nullable(changeParameters)},
  forms: [
    ['short_url', ...changePath],
    ['short_url', 'clear'],
    ['short_url', 'add_tags', 'remove_tags'],
  ],
  scope: 'full',
  errors: ['unknown_short_url', 'link_blocked', 'too_many_requests'],
  answer: {sentence: 'A full record, after the change.', data: fullRecord},
  example: {short_url: exampleUrl, title: 'Spring programme', max_visits: 500, clear: ['password']},
  run: async ({links}, {account, values}) => ({
    data: toFullRecord(await links.update(account, shortUrlIn(values), toUpdateLink(values))),
  }),
};

export const remove: Operation = {
  summary: 'Remove a short URL',
  description: 'Removes a short URL for good: visitors get 410, and only this account can create its short part again.',
  parameters: ofLink,
  scope: 'full',
  errors: ['unknown_short_url'],
  answer: {sentence: 'The link was removed.', data: removed},
  example: {short_url: exampleUrl},
  run: async ({links}, {account, values}) => ({data: toItem(removed, await links.remove(account, shortUrlIn(values)))}),
};

export const stats: Operation = {
  summary: 'Read the visits of a short URL',
  description:
    'Returns all fields of a short URL, its visits by day, its details and its conversions. `from` and `until` restrict the days and the totals.',
  parameters: {...ofLink, ...span},
  scope: 'read',
  errors: ['unknown_short_url'],
  answer: {
    sentence: 'A full record, its visits and its conversions.',
    data: {...fullRecord, ...statsFields, ...variantFields},
  },
  example: {short_url: exampleUrl, from: '2030-01-01', until: '2030-01-31'},
  run: async ({links}, {account, values}) => {
    const {short_url, ...query} = Object.fromEntries(values);
    const {link, stats: visits} = await links.linkAndStats(account, short_url as string, query);
    return {data: {...toFullRecord(link), ...toItem({...statsFields, ...variantFields}, visits)}};
  },
};

export const qr: Operation = {
  summary: 'Read the QR code of a short URL',
  description: 'Returns the picture itself. Browsers may keep it for a day. Errors are answered as those of all calls.',
  parameters: {
    ...ofLink,
    format: {sentence: 'The format of the picture. By default `svg`.', shape: qrFormat, example: 'svg'},
    size: {sentence: `The width and height in pixels. By default ${usualSize}.`, shape: qrSize, example: 300},
  },
  scope: 'read',
  errors: ['unknown_short_url'],
  answer: {sentence: 'The picture itself.', pictures: ['image/svg+xml', 'image/png']},
  example: {short_url: exampleUrl, format: 'png', size: 600},
  run: async ({links}, {account, values}) => {
    const {short_url, ...options} = Object.fromEntries(values);
    const content = await links.qr(account, short_url as string, options);
    return {data: {}, picture: {type: typeof content === 'string' ? 'image/svg+xml' : 'image/png', content}};
  },
};

function change(link: Link): Result {
  return {data: toItem(changed(), link)};
}

function shortUrlIn(values: Values): string {
  return values.get('short_url') as string;
}
