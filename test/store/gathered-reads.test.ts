import test from 'ava';
import {GatheredReads} from '../../src/store/gathered-reads.ts';

/** An engine that notes what it is asked, and answers when it is told to. */
function engine() {
  const questions: Array<{
    readonly keys: readonly string[];
    readonly answer: (records: readonly unknown[]) => void;
    readonly fail: (error: Error) => void;
  }> = [];
  const reads = new GatheredReads(
    (keys) => new Promise((answer, fail) => void questions.push({keys: [...keys], answer, fail})),
  );
  const sent = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return {reads, questions, sent};
}

test('reads of one turn of the event loop are one question, which names every key once', async (t) => {
  const {reads, questions, sent} = engine();
  const records = Promise.all(['a', 'b', 'a'].map((key) => reads.get(key)));
  await sent();
  t.deepEqual(
    questions.map(({keys}) => keys),
    [['a', 'b']],
  );
  questions[0]?.answer(['of a', undefined]);
  t.deepEqual(await records, ['of a', undefined, 'of a']);
});

test('a read that comes after the question was sent is a question of its own', async (t) => {
  const {reads, questions, sent} = engine();
  const early = reads.get('a');
  await sent();
  const late = reads.get('a');
  await sent();
  t.is(questions.length, 2);
  questions[1]?.answer(['new']);
  t.is(await late, 'new', 'and does not wait for the one before');
  questions[0]?.answer(['old']);
  t.is(await early, 'old');
});

test('a failure reaches everybody who asked, and nobody after them', async (t) => {
  const {reads, questions, sent} = engine();
  const both = Promise.allSettled([reads.get('a'), reads.get('b')]);
  await sent();
  questions[0]?.fail(new Error('gone'));
  t.deepEqual(
    (await both).map(({status}) => status),
    ['rejected', 'rejected'],
  );
  const later = reads.get('a');
  await sent();
  questions[1]?.answer(['back']);
  t.is(await later, 'back');
});
