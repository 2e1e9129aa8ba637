import {
  domainText,
  fields,
  type GivenName,
  givenNames,
  referenceLine,
  tagList,
  updateNames,
} from '../../link/fields.ts';
import {linkStatus} from '../../link/record.ts';
import {pageCursor, pageLimit, searchText} from '../../links/read/query.ts';
import {listOf} from '../../values/objects.ts';
import {choice, day, flag, type Shape, text} from '../../values/shape.ts';
import type {Parameter, ParameterTable} from './operation.ts';

/** The short URL in an example, which the site of the tests has. */
export const exampleUrl = 'https://example.com/yh4mVKX';

export const shortUrl: Parameter = {
  sentence: 'The full short URL, with scheme and domain.',
  shape: {...text, isEncoded: true},
  example: exampleUrl,
};

export const ofLink = {short_url: required(shortUrl)} satisfies ParameterTable;

export const reference: Parameter = {
  sentence: 'The reference of the link.',
  shape: referenceLine,
  example: 'order 1001',
};

export const conditions = {
  status: {sentence: 'Only links with this status.', shape: linkStatus, example: 'active'},
  tag: {sentence: 'Only links with this tag: the whole tag, whatever its case.', shape: text, example: 'mail'},
  search: {
    sentence:
      'Only links that have each of these words in their long URL, short part, title or tags, whatever the case; or the link of this short URL.',
    shape: searchText,
    example: 'spring',
  },
  broken: {
    sentence: 'Only links that the last check of the site has found broken, or only others.',
    shape: flag,
    example: true,
  },
  base_domain: {
    sentence: 'Only links on this domain.',
    shape: domainText,
    example: 'sho.rt',
  },
} satisfies ParameterTable;

export const span = {
  from: {sentence: 'The first day, `yyyy-mm-dd`, in the time zone of the site.', shape: day, example: '2030-01-01'},
  until: {sentence: 'The last day, `yyyy-mm-dd`, in the time zone of the site.', shape: day, example: '2030-01-31'},
} satisfies ParameterTable;

export const paging = {
  limit: {sentence: 'The maximum number of links on a page.', shape: pageLimit, example: 100},
  cursor: {sentence: 'The `next_cursor` of the previous page.', shape: pageCursor, example: 'YWZ0ZXIgMg'},
} satisfies ParameterTable;

export const nextCursor = {
  sentence: 'The `cursor` of the next page; absent on the last page.',
  shape: pageCursor,
  example: 'YWZ0ZXIgMg',
  isOptional: true,
} as const;

/** The fields that `update` can clear: everything but the long URL, which every link needs. */
export const clearable: readonly string[] = updateNames
  .filter((name) => fields[name].update === undefined)
  .map((name) => fields[name].parameter);

const clearList: Shape = {
  ...listOf(choice(clearable), Infinity, 1),
  bounds: clearable.map((name) => `\`${name}\``).join(', '),
};

/** Changes that are no new value of a field, by their parameters. */
const tagChanges = {
  add_tags: {
    sentence: 'Tags to add. Of additions at the same time all are kept. Not together with `tags`.',
    shape: tagList,
    example: ['mail', 'posters'],
  },
  remove_tags: {
    sentence: 'Tags to remove, whatever their case. Not together with `tags`.',
    shape: tagList,
    example: ['mail', 'posters'],
  },
} satisfies ParameterTable;

export const creationParameters: ParameterTable = {
  ...parametersOf(givenNames),
  url: required(parameterOf('url')),
  reuse: {
    sentence:
      'Whether to answer with the link that the account has created by the same parameters with `reuse`, if there is one that is active and still has them. Of any number of such calls at once, one creates.',
    shape: flag,
    example: true,
  },
};

/** The parameters of `update` besides `short_url`. */
export const changeParameters: ParameterTable = {
  ...parametersOf(updateNames),
  ...tagChanges,
  clear: {
    sentence: 'The fields to clear, each at most once.',
    shape: clearList,
    example: ['password', 'max_visits'],
  },
};

function parametersOf(names: readonly GivenName[]): ParameterTable {
  return Object.fromEntries(names.map((name) => [fields[name].parameter, parameterOf(name)]));
}

function parameterOf(name: GivenName): Parameter {
  const {shape, sentence, example, errors}: Partial<Parameter> & Omit<Parameter, 'errors'> = fields[name];
  return {shape, sentence, example, ...(errors !== undefined && {errors})};
}

export function required(parameter: Parameter): Parameter {
  return {...parameter, isRequired: true};
}

/** Parameters that a JSON object may set to null, to clear them. */
export function nullable(table: ParameterTable): ParameterTable {
  return Object.fromEntries(
    Object.entries(table).map(([name, parameter]) => [
      name,
      clearable.includes(name) ? {...parameter, isNullable: true} : parameter,
    ]),
  );
}
