import {type ErrorCode, ShortUrlError, toShortUrlError} from '../../../errors.ts';
import type {Announcer} from '../../../links/announcer.ts';
import type {CreateLink, Link, LinkChange, ManyResult, RemovedLink} from '../../../link/link.ts';
import {newStatus} from '../../../link/record.ts';
import {grouped, isObject} from '../../../values/describe.ts';
import {listOf} from '../../../values/objects.ts';
import {malformed} from '../../../values/input.ts';
import {type Shape, shapeOf} from '../../../values/shape.ts';
import type {Item} from '../../envelope.ts';
import type {AnswerFields} from '../answer-fields.ts';
import {errorFields, itemErrorsOf} from '../errors.ts';
import {create, enable, update} from './links.ts';
import {changeParameters, creationParameters, exampleUrl, nullable, ofLink, required} from '../known-parameters.ts';
import {toCreateLink, toLinkChange} from '../link-input.ts';
import {objectOf, type Operation, type Result, type Values} from '../operation.ts';
import {type Accepted, readMembers} from '../parameters.ts';
import {inParts} from '../parts.ts';
import {publicMessage} from '../../public-message.ts';
import {fullRecord, removed, toFullRecord, toItem} from '../records.ts';

const ofCreation: Accepted = {parameters: creationParameters};
const ofChange: Accepted = {
  parameters: {
    ...ofLink,
    ...nullable(changeParameters),
    status: {
      sentence: 'A new status, without other changes; `removed` is for good.',
      shape: newStatus,
      example: 'disabled',
    },
  },
};

export const maxItems = 1000;

/** @param items what each of them may have */
function many({parameters}: Accepted): Shape {
  const item = shapeOf<object>({expected: 'an object', schema: objectOf(parameters), holds: isObject});
  return {...listOf(item, maxItems, 1), bounds: `1 to ${grouped(maxItems)}`};
}

function results(sentence: string, errors: readonly ErrorCode[], links: readonly AnswerFields[]) {
  return {
    sentence,
    data: {
      results: {
        sentence: 'One result for each item, in its order: a `link`, or an `error` with its `message`.',
        min: 1,
        max: maxItems,
        rows: [{link: {sentence: 'The link.', object: links}}, errorFields(errors)],
      },
    },
  };
}

export const createMany: Operation = {
  summary: 'Create many short URLs',
  description: `Creates 1 to ${grouped(maxItems)} short URLs, each as \`create\` does. An error of one does not affect the others.`,
  parameters: {
    links: required({
      sentence: 'The links to create, with the parameters of `create`.',
      shape: many(ofCreation),
      example: [{url: 'https://example.org/a/long/one'}],
    }),
  },
  scope: 'create',
  isPostOnly: true,
  isRepeatable: true,
  answer: results('The results of the creations.', itemErrorsOf(create), [fullRecord]),
  example: {
    links: [{url: 'https://example.org/a/long/one'}, {url: 'https://example.org/another', custom_url: 'spring'}],
  },
  run: async ({links, announcer}, {account, values, idempotencyKey}) => {
    const read = (item: unknown): CreateLink => toCreateLink(readItem(item, ofCreation));
    const run = (inputs: readonly CreateLink[]) => links.createMany(account, inputs, {idempotencyKey});
    const isOnce = idempotencyKey !== undefined;
    return runAll(values.get('links') as readonly unknown[], {read, run, announcer, isOnce});
  },
};

export const updateMany: Operation = {
  summary: 'Change many short URLs',
  description: `Makes 1 to ${grouped(maxItems)} changes, each as \`update\` does, or of the \`status\`. Changes of the same short URL are made in order. An error of one does not affect the others.`,
  parameters: {
    changes: required({
      sentence: 'The changes, each with a `short_url` and the parameters of `update`, or a `status`.',
      shape: many(ofChange),
      example: [{short_url: exampleUrl, status: 'disabled'}],
    }),
  },
  scope: 'full',
  isPostOnly: true,
  answer: results(
    'The results of the changes. A removed link has only `url_id`, `short_url` and `status`.',
    itemErrorsOf(update, ...(enable.errors ?? [])),
    [fullRecord, removed],
  ),
  example: {
    changes: [
      {short_url: exampleUrl, title: 'Spring programme', clear: ['password']},
      {short_url: 'https://example.com/spring', status: 'disabled'},
    ],
  },
  run: async ({links, announcer}, {account, values}) => {
    const read = (item: unknown): LinkChange => toLinkChange(readItem(item, ofChange));
    const run = (inputs: readonly LinkChange[]) => links.updateMany(account, inputs);
    return runAll(values.get('changes') as readonly unknown[], {read, run, announcer});
  },
};

interface Work<Input> {
  /** Reads one item; throws if it is wrong. */
  readonly read: (item: unknown) => Input;
  readonly run: (inputs: readonly Input[]) => AsyncGenerator<ManyResult<Link | RemovedLink>>;
  readonly announcer: Announcer;
  /** Whether a repeat has the `date_time` of the first call, with which its links are dated. */
  readonly isOnce?: boolean;
}

/** A wrong item has its error in the results and does not affect the others. */
async function runAll<Input>(items: readonly unknown[], {read, run, announcer, isOnce}: Work<Input>): Promise<Result> {
  const inputs = items.map((item) => attempt(() => read(item)));
  const made = run(inputs.filter((input) => !(input instanceof ShortUrlError)) as Input[]);
  const results: Array<ManyResult<Link | RemovedLink>> = [];
  for (const input of inputs) {
    const isWrong = input instanceof ShortUrlError;
    const result = isWrong ? {error: input} : ((await made.next()).value as ManyResult<Link | RemovedLink>);
    // The store reports an outage itself.
    if (result.error?.code === 'internal_error') announcer.report(result.error);
    results.push(result);
  }
  const dates = results.flatMap(({link}) => (link && 'dateCreated' in link ? [link.dateCreated] : []));
  return {
    data: {results: []},
    stream: {name: 'results', chunks: inParts(results, toResult)},
    dateTime: isOnce ? dates[0] : undefined,
  };
}

function attempt<Value>(work: () => Value): Value | ShortUrlError {
  try {
    return work();
  } catch (error) {
    return toShortUrlError(error);
  }
}

function readItem(item: unknown, accepted: Accepted): Values {
  if (isObject(item) && !Array.isArray(item)) return readMembers(item, accepted);
  throw malformed('Each item of the list must be an object.');
}

function toResult({link, error}: ManyResult<Link | RemovedLink>): Item {
  if (error !== undefined) return {error: error.code, message: publicMessage(error)};
  return {link: link.status === 'removed' ? toItem(removed, link) : toFullRecord(link)};
}
