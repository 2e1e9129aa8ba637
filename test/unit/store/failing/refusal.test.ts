import test from 'ava';
import {operationFailure} from '../../../../src/store/failing/failure.ts';

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
  'the command is evalsha.': [
    new Error("NOPERM User links has no permissions to run the 'evalsha' command"),
    new Error("NOPERM this user has no permissions to run the 'evalsha' command or its subcommand"),
    new Error("ERR unknown command 'EVALSHA'"),
    new Error('ERR unknown command `EVALSHA`'),
  ],
  'read-only or a replica': [
    coded('25006', 'cannot execute INSERT in a read-only transaction'),
    coded('ER_OPTION_PREVENTS_STATEMENT', 'running with the --super-read-only option'),
    coded('ER_READ_ONLY_MODE', 'Running in read-only mode'),
    coded('ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION', 'Cannot execute statement in a READ ONLY transaction.'),
    new Error("READONLY You can't write against a read only replica."),
    new Error("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
  ],
  'too few of its other servers': [
    new Error('NOREPLICAS Not enough good replicas to write.'),
    new Error('NOREPLICAS Not enough good replicas to write. script: 9a07, on @user_script:8.'),
    coded('ER_RUN_HOOK_ERROR', "Error on observer while running replication hook 'before_commit'."),
    coded('ER_UNKNOWN_COM_ERROR', 'WSREP has not yet prepared node for application use'),
  ],
  'no room': [
    coded('SQLITE_FULL'),
    new Error('OOM command not allowed'),
    coded('53100', 'could not extend file'),
    coded('ER_RECORD_FILE_FULL', "The table '…' is full"),
    coded('ER_GET_ERRNO', 'Got error 28 "No space left on device" from storage engine InnoDB'),
  ],
  'its disk fails': [coded('SQLITE_IOERR', 'disk I/O error')],
  'cannot save': [new Error('MISCONF Redis is configured to save RDB snapshots, but …')],
  'as many as it may have': [
    coded('53300', 'sorry, too many clients already'),
    coded('ER_CON_COUNT_ERROR', 'Too many connections'),
    new Error('ERR max number of clients reached'),
    new Error('No answer within 2000 ms: sorry, too many clients already', {cause: coded('53300')}),
  ],
  'its answer says why': [
    new Error('DENIED Redis is running in protected mode because …'),
    coded('ER_HOST_IS_BLOCKED', "Host '…' is blocked because of many connection errors"),
  ],
  'redis+cluster:': [new Error('MOVED 3999 10.0.0.2:6379')],
  'the file': [
    coded('SQLITE_NOTADB', 'file is not a database'),
    coded('SQLITE_READONLY', 'attempt to write a readonly database'),
    new Error('ConnectionFailed("Unable to open connection to local database /srv/links.db: 14")'),
    coded('EACCES', "EACCES: permission denied, mkdir '/srv'"),
  ],
  'secure connection': [coded('ERR_TLS_CERT_ALTNAME_INVALID', "Host: a. is not in the cert's altnames: DNS:b")],
  node_extra_ca_certs: [
    coded('DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'),
    coded('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain'),
    coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate'),
    coded('HANDSHAKE_SSL_ERROR', 'unable to get local issuer certificate'),
  ],
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

const passing: Record<string, Error> = {
  'it is starting or stopping': coded('57P03', 'the database system is starting up'),
  'starting or stopping': new Error('LOADING Redis is loading the dataset in memory'),
  'nodes or slots of its cluster are missing': new Error('CLUSTERDOWN The cluster is down'),
  'its cluster is moving keys': new Error('TRYAGAIN Multiple keys request during rehashing of slot'),
  'a script of another program blocks it': new Error('BUSY Redis is busy running a script.'),
};

for (const [what, error] of Object.entries(passing)) {
  test(`a store that is not ready says what it waits for: ${what}`, (t) => {
    const {message} = operationFailure(error) as Error;
    t.true(message.startsWith('The store is not ready') && message.includes(what), message);
    t.regex(message, /If that lasts, /);
  });
}

test('a store that cannot be reached counts as not answering', (t) => {
  const unreachable = new AggregateError([coded('ECONNREFUSED', 'connect ECONNREFUSED ::1:5432')]);
  for (const error of [
    unreachable,
    coded('ENOTFOUND', 'getaddrinfo ENOTFOUND database'),
    coded('EACCES', 'connect EACCES /run/mysqld.sock'),
    coded('EPIPE', 'write EPIPE'),
    new Error('No answer within 2000 ms'),
    'not even an error',
  ]) {
    t.is((operationFailure(error) as Error).message, 'The store did not answer.');
  }
});
