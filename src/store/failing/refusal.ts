import {noRight} from '../../errors.ts';

/** The parts of a connection string that errors may name. */
export interface StoreNames {
  readonly user?: string;
  readonly database?: string;
  /** With its port. A cluster has several. */
  readonly host?: string;
  readonly file?: string;
}

/** An answer of a store that does not serve, for the site's operator. */
interface Refusal {
  readonly reason: string;
  readonly remedy?: string;
  /** Codes and messages of engines and clients. The group `command` names a command that is missing. */
  readonly signs: RegExp;
  readonly subject?: keyof StoreNames;
}

/** The first one that fits counts. */
const refusals: readonly Refusal[] = [
  {
    reason: 'The store refused the user or the password.',
    remedy: 'Check both in the connection string.',
    signs:
      /^(28P01|28000|SASL: |ER_ACCESS_DENIED_(NO_PASSWORD_)?ERROR|ER_HOST_NOT_PRIVILEGED|ER_NOT_SUPPORTED_AUTH_MODE|ER_MUST_CHANGE_PASSWORD|ER_ACCOUNT_HAS_BEEN_LOCKED|WRONGPASS |NOAUTH |ERR (invalid password|(Client sent )?AUTH ?))/,
    subject: 'user',
  },
  {
    reason: 'The store refused the database: there is no such database, or the user may not open it.',
    remedy: 'Create it, or check the connection string.',
    signs: /^(3D000|ER_BAD_DB_ERROR|ER_DBACCESS_DENIED_ERROR|ERR DB index is out of range)/,
    subject: 'database',
  },
  {
    reason: 'The store refused: the encoding of its database is not UTF8, so it cannot store every text.',
    remedy: "Create another one: create database links encoding 'UTF8' template template0;",
    signs: /^The database has the encoding /,
  },
  {
    reason: 'The store refused: another program has a table with the name of one of ours.',
    remedy: 'Use another database.',
    signs: /^The table \S+ was made by another program/,
  },
  {
    reason: noRight,
    remedy: 'docs/stores.md lists the commands that it needs on Redis.',
    signs: /^NOPERM .*permissions to run the '(?<command>[a-z|-]+)' command/i,
  },
  {
    reason: 'The store refused a command that it does not know.',
    remedy: 'Undo rename-command in redis.conf: docs/stores.md lists the commands that it needs on Redis.',
    signs: /^ERR (unknown command ['`](?<command>[a-z|-]+)['`]|unknown redis command called from script)/i,
  },
  {
    reason: noRight,
    remedy: 'docs/deployment.md lists the rights that it needs under Engines.',
    signs:
      /^(42501|3F000|ER_\w+ACCESS_DENIED_ERROR|NOPERM |ERR (The user executing the script can't|ACL failure in script))/,
  },
  {
    reason: 'The store refused, because it is read-only or a replica.',
    remedy: 'Connect to the primary server, or end its read-only mode.',
    signs:
      /^(25006|ER_OPTION_PREVENTS_STATEMENT|ER_READ_ONLY_MODE|ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION|READONLY |MASTERDOWN )/,
  },
  {
    reason: 'The store refused to write: too few of its other servers are connected.',
    remedy: 'Start them, or on Redis lower min-replicas-to-write.',
    signs: /^(NOREPLICAS |NOQUORUM |ER_RUN_HOOK_ERROR|WSREP has not yet prepared node)/,
  },
  {
    reason: 'The store refused to write: it has no room.',
    remedy: 'Free disk space or memory. On Redis, raise maxmemory.',
    signs:
      /^(53100|53200|ER_DISK_FULL|ER_RECORD_FILE_FULL|ER_OUTOFMEMORY|ER_OUT_OF_RESOURCES|Got error 28 |OOM |SQLITE_FULL|ENOSPC: )/,
  },
  {
    reason: 'The store refused to write: its disk fails.',
    remedy: "Read the system's log, and look after the disk.",
    signs: /^SQLITE_IOERR/,
  },
  {
    reason: 'The store refused to write: it cannot save its data.',
    remedy: "Read the server's log. Most often its disk is full, or it may not write to its folder.",
    signs: /^MISCONF /,
  },
  {
    reason: 'The store refused a connection: it has as many as it may have.',
    remedy: 'Raise its limit, run fewer processes, or set a smaller `pool` in the connection string.',
    signs:
      /^(53300|ER_CON_COUNT_ERROR|ER_TOO_MANY_USER_CONNECTIONS|ER_USER_LIMIT_REACHED|ERR max number of clients|no more connections allowed)/,
  },
  {
    reason: 'The store got no connection from the pool of the site.',
    remedy: 'Raise the limit of the pool, or look for what keeps its connections. Or the server does not answer.',
    signs: /^(POOL_BUSY|timeout exceeded when trying to connect|No connections available|Queue limit reached)/,
  },
  {
    reason: 'The store got no connection, because the site has closed its pool or client.',
    remedy: 'Close the shortener first.',
    signs:
      /^(Cannot use a pool after calling end|Pool is closed|The client is closed|database is not open|The database connection is not open|statement has been finalized)/,
  },
  {
    reason: 'The store got no connection, because the sentinel client of the site is not connected.',
    remedy: 'Call its `connect()`.',
    signs: /^The sentinel client is not connected/,
  },
  {
    reason: 'The store cannot use the pool of the site, because its character set is not utf8mb4.',
    remedy: "Set `charset: 'utf8mb4'` in the options of the pool.",
    signs: /^POOL_CHARSET/,
  },
  {
    reason: 'The store ended an operation at a time limit of its server or of the pool of the site.',
    remedy: 'Raise statement_timeout, lock_timeout or max_statement_time, or set `storeTimeout` below them.',
    signs: /^(57014|55P03|25P03|ER_STATEMENT_TIMEOUT|ER_QUERY_TIMEOUT|Query read timeout)/,
  },
  {
    reason: 'The file of the store was locked: another connection has a transaction open that writes.',
    remedy: 'End it before you await the shortener.',
    signs: /^SQLITE_(BUSY|LOCKED)/,
  },
  {
    reason: 'The store refused the connection.',
    remedy: 'Its answer says why.',
    signs: /^(DENIED |ER_HOST_IS_BLOCKED|ER_SERVER_OFFLINE_MODE)/,
  },
  {
    reason: "The folder of the store's file does not exist.",
    remedy: 'Create it, or check the path in the connection string.',
    signs: /^The database file has no folder/,
    subject: 'file',
  },
  {
    reason: 'The file of the store was refused: it cannot be opened or written, is damaged, or is no database.',
    remedy: 'Check its path, and whether the process may write to it and its folder.',
    signs:
      /^(SQLITE_(CANTOPEN|NOTADB|AUTH|PERM|READONLY|CORRUPT)|ConnectionFailed\("Unable to open|(EACCES|EPERM|EROFS|EISDIR|ENOTDIR|EEXIST): )/,
    subject: 'file',
  },
  {
    reason:
      'The secure connection to the store was refused: its certificate is not signed by an authority that Node.js trusts.',
    remedy:
      'Start the process with NODE_EXTRA_CA_CERTS=/path/to/ca.pem, or on Postgres set sslrootcert=/path/to/ca.pem in the ' +
      'connection string: docs/deployment.md#certificates',
    signs:
      /^(CERT_UNTRUSTED|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY)|self[- ]signed certificate|unable to (verify the first|get (local )?issuer) certificate)/,
  },
  {
    reason: 'The secure connection to the store was refused.',
    remedy: 'Check its certificate, and the connection string.',
    signs:
      /^(ERR_TLS|ERR_SSL|HANDSHAKE_(NO_SSL_SUPPORT|SSL_ERROR)|CERT_|The server does not support SSL|ER_SECURE_TRANSPORT_REQUIRED)/,
  },
  {
    reason: 'The store refused, because it is a Redis Cluster.',
    remedy: 'Begin the connection string with redis+cluster:',
    signs: /^MOVED /,
  },
  {
    reason: 'The keys of the Redis Cluster cannot be listed while its slots move.',
    remedy: 'Try again when the move has ended; redis-cli --cluster fix ends one that was interrupted.',
    signs: /^SLOTS_MOVING/,
  },
  {
    reason: 'The store is not ready: its cluster is moving keys.',
    remedy: 'If that lasts, redis-cli --cluster fix ends an interrupted move.',
    signs: /^TRYAGAIN /,
  },
  {
    reason: 'The store is not ready: nodes or slots of its cluster are missing.',
    remedy: 'If that lasts, redis-cli --cluster check shows which.',
    signs: /^CLUSTERDOWN /,
  },
  {
    reason: 'The store is not ready: a script of another program blocks it.',
    remedy: 'If that lasts, SCRIPT KILL ends the script.',
    signs: /^BUSY /,
  },
  {
    reason: 'The store is not ready: it is starting or stopping.',
    remedy: "If that lasts, read the server's log.",
    signs: /^(57P0[123]|ER_SERVER_SHUTDOWN|LOADING )/,
  },
  // Any other error of an SQL server, by its SQLSTATE or number, or of Redis.
  {reason: 'The store answered with an error.', signs: /^(ER_|(?=.{0,4}\d)[\dA-Z]{5}$|ERR )/},
];

/** The maximum number of causes that are checked, because they may form a cycle. */
const maxDepth = 10;

/**
 * Says why a store that answers does not serve, and what to do about it.
 *
 * @param names where the name of the refused user, database or file is; no name is repeated without it
 * @returns undefined if the error means that the store did not answer
 */
export function refusalOf(error: unknown, names: StoreNames = {}): string | undefined {
  let cause = error;
  for (let depth = 0; depth < maxDepth && cause instanceof Error; depth += 1) {
    const {code, message} = cause as Error & {code?: unknown};
    const found = refusals.find(({signs}) => signs.test(String(code)) || signs.test(message));
    if (found) {
      const {reason, remedy, subject, signs} = found;
      const name = subject && names[subject];
      const command = signs.exec(message)?.groups?.['command'];
      return [
        reason,
        ...(name === undefined ? [] : [`The ${subject} is ${name}.`]),
        ...(command === undefined ? [] : [`The command is ${command.toUpperCase()}.`]),
        ...(remedy ? [remedy] : []),
      ].join(' ');
    }
    cause = cause.cause ?? (cause instanceof AggregateError ? (cause.errors as unknown[])[0] : undefined);
  }
  return undefined;
}
