import {inspect} from 'node:util';
import test from 'ava';
import {MissingPackageError} from '../../src/store/failure.ts';
import {isMisplaced, isMoving, isReply, redisError} from '../../src/store/redis-error.ts';

test('an error keeps its message and its code, and loses the command and the options of the connection', (t) => {
  const thrown = Object.assign(new Error('WRONGPASS invalid username-password pair', {cause: 's3cret'}), {
    code: 'WRONGPASS',
    command: {name: 'auth', args: ['s3cret']},
    options: {password: 's3cret'},
    lastNodeError: new Error('s3cret'),
  });
  const error = redisError(thrown);
  t.like(error, {name: 'Error', message: 'WRONGPASS invalid username-password pair', code: 'WRONGPASS'});
  t.notRegex(inspect(error, {depth: Infinity, showHidden: true}), /s3cret/);
});

test('arguments that a server repeats are taken out of its message', (t) => {
  const message = "ERR unknown command 'AUTH', with args beginning with: 's3cret' \n's3cret'";
  t.is(redisError(new Error(message)).message, "ERR unknown command 'AUTH'");
});

test('of several failures the first one stands for all', (t) => {
  t.is(redisError(new AggregateError([new AggregateError(['first']), new Error('second')])).message, 'first');
  t.is(redisError(new AggregateError([], 'none')).message, 'none');
  t.is(redisError('text').message, 'text');
});

test('a fault of the client is a plain error, and a missing package stays what it is', (t) => {
  t.false(redisError(new TypeError("Cannot read properties of undefined (reading 'master')")) instanceof TypeError);
  const missing = new MissingPackageError('@keyv/redis', undefined);
  t.is(redisError(missing), missing);
});

test('a reply that is an error begins with a word of capitals', (t) => {
  for (const message of ['ERR no', 'NOSCRIPT No matching script', 'READONLY no']) t.true(isReply(new Error(message)));
  for (const message of ['A b', 'Socket ERR closed', 'connect ECONNREFUSED 127.0.0.1:1', 'ERR', 'lost it']) {
    t.false(isReply(new Error(message)), message);
  }
});

test('a command whose keys are being moved to another node is refused for now', (t) => {
  const tooMany = 'Too many Cluster redirections. Last error: ReplyError: TRYAGAIN Multiple keys request';
  for (const message of ['TRYAGAIN Multiple keys request', tooMany]) t.true(isMoving(new Error(message)));
  for (const message of ['ERR TRYAGAIN no', 'MOVED 1 a:1']) t.false(isMoving(new Error(message)));
});

test('a replica, and a node that its cluster has lost, leave it to another server', (t) => {
  for (const message of ['READONLY no', 'CLUSTERDOWN no']) t.true(isMisplaced(new Error(message)));
  for (const message of ['ERR READONLY no', 'LOADING no']) t.false(isMisplaced(new Error(message)));
});
