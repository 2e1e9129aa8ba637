import {inspect} from 'node:util';
import test from 'ava';
import {ShortUrlError} from '../../../../src/errors.ts';
import {
  addressOf,
  clientError,
  importFailure,
  isFault,
  MissingPackageError,
  operationFailure,
  outage,
} from '../../../../src/store/failing/failure.ts';

test('a package that is not installed is named with its install command, and other import errors are passed on', (t) => {
  for (const code of ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']) {
    const cause = Object.assign(new Error('Cannot find it'), {code});
    const missing = importFailure('libsql', cause);
    t.true(missing instanceof MissingPackageError);
    t.regex(String(missing), /libsql, which is not installed: npm install libsql$/);
    t.is((missing as Error).cause, cause);
  }
  const other = Object.assign(new Error('It is broken'), {code: 'ERR_DLOPEN_FAILED'});
  t.is(importFailure('libsql', other), other);
});

test('what is printed of a package that is not installed is its sentence, without traces', (t) => {
  const cause = Object.assign(new Error("Cannot find package 'libsql' imported from here"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  const missing = importFailure('libsql', cause);
  const printed = inspect(operationFailure(missing));
  // A bundle of tests has a class of that name already.
  t.regex(printed, /^\[?_?ShortUrlError: The store needs the package libsql/);
  t.notRegex(printed, /^ +at |Cannot find/m);
});

test('an error of a client means that the store did not answer, with a Retry-After', (t) => {
  const cause = new Error('connection lost');
  const outage = operationFailure(cause);
  t.true(outage instanceof ShortUrlError);
  t.like(outage, {code: 'store_unavailable', message: 'The store did not answer.', retryAfter: 1, cause});
  const missing = new MissingPackageError('libsql', cause);
  // An operator has to install it, so clients need not retry every second.
  const {message} = missing;
  t.like(operationFailure(missing), {code: 'store_unavailable', message, retryAfter: 60, cause: missing});
});

test('a fault in the program and a ShortUrlError are passed on unchanged', (t) => {
  const taken = new ShortUrlError('custom_url_taken', 'It is taken.');
  for (const error of [new TypeError(), new ReferenceError(), new RangeError(), new SyntaxError(), taken]) {
    t.is(operationFailure(error), error);
    t.is(isFault(error), !(error instanceof ShortUrlError));
  }
  t.false(isFault(new Error('connection lost')));
});

test("a client's error keeps its message and codes, and loses the command and the connection options", (t) => {
  const thrown = Object.assign(new Error('WRONGPASS invalid username-password pair', {cause: 's3cret'}), {
    code: 'WRONGPASS',
    errno: 1045,
    sqlState: '28000',
    command: {name: 'auth', args: ['s3cret']},
    options: {password: 's3cret'},
    lastNodeError: new Error('s3cret'),
  });
  const error = clientError(thrown, /$^/);
  t.like(error, {name: 'Error', message: 'WRONGPASS invalid username-password pair'});
  t.like(error, {code: 'WRONGPASS', errno: 1045, sqlState: '28000'});
  t.notRegex(inspect(error, {depth: Infinity, showHidden: true}), /s3cret/);
});

test("a login in an adapter's message is removed, in its causes too", (t) => {
  const inner = new Error('cannot reach postgres://db/links?user=keeper&password=hunter2');
  const error = new Error('connect ECONNREFUSED redis://keeper:hunt/er2@127.0.0.1:6379 (tried twice)', {cause: inner});
  const {cause} = operationFailure(error) as Error & {cause: Error};
  t.is(cause.message, 'connect ECONNREFUSED redis://…@127.0.0.1:6379 (tried twice)');
  t.is((cause.cause as Error).message, 'cannot reach postgres://db/links?user=keeper&password=…');
  t.notRegex(inspect(cause, {depth: Infinity, showHidden: true}), /hunt/);
});

test('the password of a connection string is removed from messages of a server, as written and as sent', (t) => {
  const address = addressOf('redis://app:s%26cret@localhost:6379/0');
  t.deepEqual(address.logins, ['s&cret', 's%26cret']);
  const error = outage(new Error('ERR unknown user app with s&cret', {cause: 'sent s%26cret'}), address);
  t.like(error.cause, {message: 'ERR unknown user app with …', cause: 'sent …'});
  t.false(String((error.cause as Error).stack).includes('s&cret'));
  t.deepEqual(addressOf('redis+cluster://app:one%zz@a:1,b:2').logins, ['one%zz']);
  t.deepEqual(addressOf('postgres://db/links?user=app&password=hunter2').logins, ['hunter2']);
  for (const text of ['redis://localhost', 'redis://app@localhost', 'sqlite:a.db', 'memory:'])
    t.deepEqual(addressOf(text).logins, []);
});

const refused: ReadonlyArray<readonly [store: string, code: string, message: RegExp]> = [
  ['postgres://app:hunter2@db:5432/links', '28P01', /the user or the password\. The user is app\. /],
  ['postgres://app:hunter2@db:5432/l%C3%A4nks', '3D000', /refused the database: .* The database is länks\. /],
  ['mysql://app@db/links?ssl=true', 'ER_BAD_DB_ERROR', /The database is links\. /],
  ['redis+sentinel://app:hunter2@a:1,b:2/master/99', 'ERR DB index is out of range', /The database is 99\. /],
  ['sqlite:/data/links.db', 'SQLITE_CANTOPEN', /The file is \/data\/links\.db\. /],
  ['redis+cluster://:hunter2@a:1,b:2', 'a timeout', /did not answer\. Its address is a:1,b:2\.$/],
  // Nothing that has the password is repeated.
  ['postgres://hunter2:hunter2@db/links', '28P01', /the user or the password\. Check/],
  ['redis://:hunter2@localhost', 'WRONGPASS invalid', /the user or the password\. Check/],
];
for (const [store, code, message] of refused) {
  test(`an error names what was wrong, and no password: ${store}, ${code}`, (t) => {
    const error = outage(Object.assign(new Error(code), {code}), addressOf(store));
    t.regex(error.message, message);
    t.notRegex(error.message, /hunter2/);
  });
}
