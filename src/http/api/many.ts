import {isObject} from '../../host/describe.ts';
import {ShortUrlError, toShortUrlError} from '../../host/errors.ts';
import type {Announcer} from '../../links/announcer.ts';
import type {CreateLink, Link, LinkChange, ManyResult, RemovedLink} from '../../link/link.ts';
import {malformed} from '../../link/readers.ts';
import type {Item} from '../envelope.ts';
import {clearable, creationOptions, toCreateLink, toLinkChange, updateOptions} from './link-input.ts';
import type {Operation, Result} from './operation.ts';
import {type ParameterNames, readMembers, type Values} from './parameters.ts';
import {inParts} from './parts.ts';
import {publicMessage} from '../public-message.ts';
import {toFullRecord, toRemoved} from './records.ts';

const ofCreation: ParameterNames = {required: ['url'], optional: creationOptions};
const ofChange: ParameterNames = {
  required: ['short_url'],
  optional: [...updateOptions, 'status'],
  nullable: clearable,
};

export const createMany: Operation['run'] = ({links, announcer}, {account, values, idempotencyKey}) => {
  const read = (item: unknown): CreateLink => toCreateLink(readItem(item, ofCreation));
  const run = (inputs: readonly CreateLink[]) => links.createMany(account, inputs, {idempotencyKey});
  return runAll(values.get('links') as readonly unknown[], {
    read,
    run,
    announcer,
    isOnce: idempotencyKey !== undefined,
  });
};

export const updateMany: Operation['run'] = ({links, announcer}, {account, values}) => {
  const read = (item: unknown): LinkChange => toLinkChange(readItem(item, ofChange));
  const run = (inputs: readonly LinkChange[]) => links.updateMany(account, inputs);
  return runAll(values.get('changes') as readonly unknown[], {read, run, announcer});
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
    stream: {name: 'results', chunks: inParts(results, toItem)},
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

function readItem(item: unknown, names: ParameterNames): Values {
  if (isObject(item) && !Array.isArray(item)) return readMembers(item, names);
  throw malformed('Each item of the list must be an object.');
}

function toItem({link, error}: ManyResult<Link | RemovedLink>): Item {
  if (error !== undefined) return {error: error.code, message: publicMessage(error)};
  return {link: link.status === 'removed' ? toRemoved(link) : toFullRecord(link)};
}
