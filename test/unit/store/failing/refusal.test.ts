import test from 'ava';
import {operationFailure} from '../../../../src/store/failing/failure.ts';
import {refusalOf} from '../../../../src/store/failing/refusal.ts';

const coded = (code: string, message = ''): Error => Object.assign(new Error(message), {code});

const refused: Record<string, readonly Error[]> = {
  'the user or the password': [
    coded('28P01', 'password authentication failed for user …'),
    coded('28000', 'role … does not exist'),
    coded('ER_ACCESS_DENIED_ERROR', 'Access denied for user …'),
    coded('ER_ACCESS_DENIED_NO_PASSWORD_ERROR', 'Access denied for user …'),
    new Error('WRONGPASS invalid username-password pair or user is disabled.'),
    new Error('NOAUTH Authentication required.'),
    new Error('ERR AUTH <password> called without any password configured for the default user.'),
    new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'),
  ],
  'the database': [
    coded('3D000', 'database … does not exist'),
    coded('ER_BAD_DB_ERROR', 'Unknown database …'),
    coded('ER_DBACCESS_DENIED_ERROR', 'Access denied for user …'),
    new Error('ERR DB index is out of range'),
  ],
  'no right': [
    coded('42501', 'permission denied for table …'),
    coded('ER_TABLEACCESS_DENIED_ERROR', 'INSERT command denied'),
    new Error('NOPERM this user has no permissions to run the …'),
    new Error("ERR The user executing the script can't run this command or subcommand script: …"),
    new Error("ERR The user executing the script can't access at least one of the keys mentioned in the command"),
    new Error("ERR ACL failure in script: User app has no permissions to run the 'hset' command"),
  ],
  'read-only': [
    coded('25006', 'cannot execute INSERT in a read-only transaction'),
    coded('ER_OPTION_PREVENTS_STATEMENT', 'running with the --read-only option'),
    new Error("READONLY You can't write against a read only replica."),
    coded('SQLITE_READONLY', 'attempt to write a readonly database'),
  ],
  'no room': [coded('SQLITE_FULL'), new Error('OOM command not allowed'), coded('53100', 'could not extend file')],
  'the file': [
    coded('SQLITE_NOTADB', 'file is not a database'),
    new Error('ConnectionFailed("Unable to open connection to local database /srv/links.db: 14")'),
    coded('EACCES', "EACCES: permission denied, mkdir '/srv'"),
  ],
  'secure connection': [coded('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate')],
};

for (const [what, errors] of Object.entries(refused)) {
  test(`a refusal is told apart from a store that does not answer: ${what}`, (t) => {
    for (const error of errors) {
      const failure = operationFailure(error) as Error;
      t.like(failure, {code: 'store_unavailable'});
      t.regex(failure.message, /refused/, error.message);
      t.true(failure.message.toLowerCase().includes(what.replace('no right', 'right')), failure.message);
      t.is((failure.cause as Error).message, error.message);
    }
  });
}

test('a store that cannot be reached counts as not answering', (t) => {
  const unreachable = new AggregateError([coded('ECONNREFUSED', 'connect ECONNREFUSED ::1:5432')]);
  for (const error of [
    unreachable,
    coded('ENOTFOUND', 'getaddrinfo ENOTFOUND database'),
    coded('EACCES', 'connect EACCES /run/mysqld.sock'),
    coded('57P03', 'the database system is starting up'),
    new Error('CLUSTERDOWN The cluster is down'),
    new Error('No answer within 2000 ms'),
    'not even an error',
  ]) {
    t.is((operationFailure(error) as Error).message, 'The store did not answer.');
  }
});

test('a refusal is found in the causes of an error', (t) => {
  const wrong = coded('28P01');
  t.regex(String(refusalOf(new Error('The Keyv adapter failed', {cause: wrong}))), /password/);
  t.regex(String(refusalOf(new AggregateError([wrong]))), /password/);
  const circle = new Error('a');
  circle.cause = circle;
  t.is(refusalOf(circle), undefined);
});
