import {performance} from 'node:perf_hooks';
import {setImmediate as nextTurn} from 'node:timers/promises';
import test from 'ava';
import {Deadline, noAnswer} from '../../../../src/store/failing/deadline.ts';

const never = new Promise<never>(() => undefined);

test('an answer or a failure in time is passed on', async (t) => {
  t.is(await new Deadline(10_000).bound(Promise.resolve(1)), 1);
  const error = new Error('refused');
  await t.throwsAsync(new Deadline(10_000).bound(Promise.reject(error)), {is: error});
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- clients reject with anything
  await t.throwsAsync(new Deadline(10_000).bound(Promise.reject('refused')), {message: 'refused'});
});

test('a deadline expires after its timeout, and the error names the timeout', async (t) => {
  const deadline = new Deadline(5);
  t.is(deadline.timeout, 5);
  t.false(deadline.isExpired);
  await t.throwsAsync(deadline.bound(never), {message: 'No answer within 5 ms'});
  t.true(deadline.isExpired);
});

test('the error also names the last failure that was noted', async (t) => {
  const deadline = new Deadline(1);
  deadline.note(new Error('connection refused'));
  deadline.note('database is locked');
  await t.throwsAsync(deadline.bound(never), {message: 'No answer within 1 ms: database is locked'});
  t.is(noAnswer(7).message, 'No answer within 7 ms');
});

test('twenty listeners on the signal cause no warning of a leak', async (t) => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const {signal} = new Deadline(1);
  for (let command = 0; command < 20; command += 1) signal.addEventListener('abort', () => undefined);
  await nextTurn();
  t.deepEqual(warnings, []);
});

/** Lets the process do nothing, in milliseconds. */
function block(time: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
}

test.serial('time in which the process was not there does not count', async (t) => {
  const deadline = new Deadline(200);
  const {expiry} = deadline;
  const answer = async (): Promise<string> => {
    // As many turns as a handshake takes.
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    return 'after some turns';
  };
  const bound = deadline.bound(nextTurn().then(answer));
  block(300);
  t.is(await bound, 'after some turns');
  t.false(deadline.isExpired);
  const late = new Deadline(80);
  const waiting = late.bound(never);
  const begun = performance.now();
  block(100);
  await t.throwsAsync(waiting, {message: 'No answer within 80 ms'});
  t.true(performance.now() - begun > 150, 'the deadline is postponed, also for a server that does not answer');
  t.true(late.isExpired && late.expiry > begun + 150 && deadline.expiry >= expiry);
});

test.serial('an answer that arrived while the event loop was blocked is not late', async (t) => {
  const deadline = new Deadline(5);
  const answer = new Promise<string>((resolve) => {
    // Immediates run after timers, like the reads of a socket.
    setTimeout(() => {
      setImmediate(() => {
        resolve('there all along');
      });
    }, 1);
  });
  const bound = deadline.bound(answer);
  block(20);
  t.is(await bound, 'there all along');
  t.false(deadline.isExpired);
});
