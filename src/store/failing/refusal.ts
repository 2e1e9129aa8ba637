import {noRight} from '../../host/errors.ts';

/** The parts of a connection string that errors may name. */
export interface StoreNames {
  readonly user?: string;
  readonly database?: string;
  /** With its port. A cluster has several. */
  readonly host?: string;
  readonly file?: string;
}

/** Reasons for which a store refuses until its settings are changed, by codes and messages of engines and clients. */
const refusals: ReadonlyArray<readonly [message: string, signs: RegExp, subject?: keyof StoreNames]> = [
  [
    'The store refused the user or the password.',
    /^(28P01|28000|SASL: |ER_ACCESS_DENIED_(NO_PASSWORD_)?ERROR|ER_HOST_NOT_PRIVILEGED|ER_NOT_SUPPORTED_AUTH_MODE|WRONGPASS |NOAUTH |ERR (invalid password|(Client sent )?AUTH ?))/,
    'user',
  ],
  [
    'The store refused the database: there is no such database, or the user may not open it.',
    /^(3D000|ER_BAD_DB_ERROR|ER_DBACCESS_DENIED_ERROR|ERR DB index is out of range)/,
    'database',
  ],
  [
    noRight,
    /^(42501|ER_\w+ACCESS_DENIED_ERROR|NOPERM |ERR (The user executing the script can't|ACL failure in script))/,
  ],
  [
    'The store refused to write: it is read-only.',
    /^(25006|ER_OPTION_PREVENTS_STATEMENT|ER_READ_ONLY_MODE|ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION|READONLY |SQLITE_READONLY)/,
  ],
  [
    'The store refused to write: it has no room, or cannot save.',
    /^(53100|ER_DISK_FULL|ER_RECORD_FILE_FULL|OOM |MISCONF |SQLITE_FULL|ENOSPC: )/,
  ],
  [
    'The file of the store was refused: it cannot be opened or written, or is no database.',
    /^(SQLITE_(CANTOPEN|NOTADB|AUTH|PERM)|ConnectionFailed\("Unable to open|(EACCES|EPERM|EROFS|EISDIR|ENOTDIR|EEXIST): )/,
    'file',
  ],
  [
    'The keys of the Redis Cluster cannot be listed while its slots move. Try again when the move has ended; redis-cli --cluster fix ends one that was interrupted.',
    /^SLOTS_MOVING/,
  ],
  [
    'The secure connection to the store was refused.',
    /^(ERR_TLS|ERR_SSL|HANDSHAKE_NO_SSL_SUPPORT|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY)|The server does not support SSL)/,
  ],
];

/** The maximum number of causes that are checked, because they may form a cycle. */
const maxDepth = 10;

/**
 * Describes what a store has refused.
 *
 * @param names where the name of the refused user, database or file is; no name is repeated without it
 * @returns undefined if the error means that the store did not answer
 */
export function refusalOf(error: unknown, names: StoreNames = {}): string | undefined {
  let cause = error;
  for (let depth = 0; depth < maxDepth && cause instanceof Error; depth += 1) {
    const {code, message} = cause as Error & {code?: unknown};
    const found = refusals.find(([, signs]) => signs.test(String(code)) || signs.test(message));
    if (found) {
      const [reason, , subject] = found;
      const name = subject && names[subject];
      return name === undefined ? reason : `${reason} The ${subject} is ${name}.`;
    }
    cause = cause.cause ?? (cause instanceof AggregateError ? (cause.errors as unknown[])[0] : undefined);
  }
  return undefined;
}
