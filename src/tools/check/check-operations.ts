import {nanoid} from 'nanoid';
import {noRight, toShortUrlError} from '../../errors.ts';
import {type Finding, problem} from '../../store/findings.ts';
import {batchPrefix, type ToolStore} from '../../store/port.ts';
import {kind, taggedKey} from '../../store/kind.ts';
import {shapeOf} from '../../values/shape.ts';
import {explain} from '../../warnings.ts';

/** Records and counters on which each operation is tried, the latter also with the hash tag of a link. */
export const trialRecords = kind('check', {
  keys: ['check:<id>', 'check:{<id>}'],
  content: 'a trial of each operation, during a check',
  key: (id: string) => [id],
  form: shapeOf<unknown>({expected: 'a value', holds: (value) => value !== undefined}),
  isLocal: true,
  removed: 'never',
});

/** The operations of a site on its store, by the names that are shown to people. */
type Trials = ReadonlyArray<readonly [name: string, attempt: () => Promise<boolean>]>;

/** Runs every operation of a site once, on test keys that it removes afterwards. */
export async function tryOperations(store: ToolStore): Promise<Finding[]> {
  const id = nanoid();
  const record = trialRecords.key(id);
  const counters = trialRecords.key(`${id}-counters`);
  const mixed = [trialRecords.key(`${id}-case-A`), trialRecords.key(`${id}-case-a`)] as const;
  const findings: Finding[] = [];
  const failed = new Set<string>();
  const attemptAll = async (trials: Trials): Promise<void> => {
    for (const [name, attempt] of trials) {
      try {
        if (!(await attempt())) findings.push(wrong(name));
      } catch (error) {
        const finding = refused(name, error);
        // One cause often makes many operations fail.
        if (!failed.has(finding.message)) findings.push(finding);
        failed.add(finding.message);
      }
    }
  };
  try {
    await attemptAll([
      ['put a record', () => store.insert(record, {number: 1})],
      ['tell that a record is there', async () => !(await store.insert(record, {number: 2}))],
      [
        'replace a record',
        async () => {
          const entry = await store.get<{number: number}>(record);
          return entry?.value.number === 1 && (await store.replace(record, entry.revision, {number: 3})) !== undefined;
        },
      ],
      ['tell keys apart by case', async () => (await store.insert(mixed[0], 1)) && (await store.insert(mixed[1], 2))],
      ['give numbers', async () => (await store.increment(counters)) === 1],
      ['read counters', async () => (await store.current([counters]))[0] === 1],
      ['set counters', () => done(store.setCounters([[counters, {counts: new Map([['v', 2]]), at: 1}]]))],
      ['read all counters', async () => (await store.getCounters([counters]))[0]?.counts.get('v') === 2],
      ['remove one counter', () => done(store.removeCounters(counters, ['v']))],
      ['count visits', () => count(store, id)],
    ]);
  } finally {
    await attemptAll([
      ['remove a record', () => done(...[record, ...mixed].map((key) => store.remove(key)))],
      ['remove counters', () => done(store.removeCounters(counters))],
    ]);
  }
  return findings;
}

/** SQL engines remember the batch for a day. */
async function count(store: ToolStore, id: string): Promise<boolean> {
  const key = taggedKey(trialRecords.name, [id], []);
  const [isCounted] = await store.count({
    writer: id,
    number: 1,
    additions: [{keys: [key], adds: [{v: 1}], at: 1}],
  });
  const tag = /\{.*\}/.exec(key)?.[0] ?? '';
  await done(store.removeCounters(key), store.remove(batchPrefix + id), store.remove(`${batchPrefix}${id}:${tag}`));
  return isCounted === true;
}

async function done(...work: ReadonlyArray<Promise<void>>): Promise<boolean> {
  await Promise.all(work);
  return true;
}

function refused(name: string, failure: unknown): Finding {
  const error = toShortUrlError(failure);
  if ((error.cause as Error | undefined)?.name === 'FormatError') {
    return problem('other_format', error.message, 'Install the version that the message names.');
  }
  const message = explain(error);
  return error.message.startsWith(noRight)
    ? problem('missing_rights', message, "Grant the site's user the rights in docs/deployment.md.")
    : problem('failed_operation', `The store could not ${name}. ${message}`, "Read the cause, and the server's log.");
}

function wrong(name: string): Finding {
  const remedy = 'This engine, or a proxy in front of it, is not supported. Check the configuration of the store.';
  return problem('wrong_result', `The store returned a wrong result: ${name}.`, remedy);
}
