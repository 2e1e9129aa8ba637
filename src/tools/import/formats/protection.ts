import {UnreadableValue} from './source-link.ts';
import {plain, readFlag} from './values.ts';

/** Names that other shorteners use for what every format must respect, as `plain` writes them. */
const kinds = {
  off: 'isdisabled disabled isbanned banned isblocked blocked isdeleted deleted deletedat',
  on: 'isactive active isenabled enabled',
  lock: 'haspassword passwordprotected ispasswordprotected isprotected protected passwordhash',
  password: 'password',
} as const;

type Kind = keyof typeof kinds;

const kindOf = new Map(
  Object.entries(kinds).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as Kind] as const)),
);

/** Whether a column or a member says something that every format must respect. */
export function isProtection(name: string): boolean {
  return kindOf.has(plain(name));
}

/** What keeps visitors from a link. */
export interface Protection {
  readonly isDisabled: boolean;
  readonly password: string | undefined;
  /** Whether it has a password that is not in the source. */
  readonly isLocked: boolean;
}

/**
 * Reads the columns or members of a link. Each of them can put the link out of service or lock it.
 *
 * @throws UnreadableValue `unreadable_status`, or `unreadable_row` for an SQL expression
 */
export function readProtection(values: Iterable<readonly [name: string, value: unknown]>): Protection {
  let isDisabled = false;
  let isLocked = false;
  let password: string | undefined;
  for (const [name, value] of values) {
    const kind = kindOf.get(plain(name));
    if (kind === 'off') isDisabled ||= readFlag(value) === true;
    else if (kind === 'on') isDisabled ||= !isOn(value);
    else if (kind === 'lock') isLocked ||= readFlag(value) === true;
    else if (kind === 'password' && readFlag(value) === true) {
      if (isSecret(value)) password = String(value);
      else isLocked = true;
    }
  }
  return {isDisabled, password, isLocked: isLocked && password === undefined};
}

/** A word that is not known may say that the link is out of service. */
function isOn(value: unknown): boolean {
  const flag = readFlag(value);
  if (flag !== true || typeof value === 'boolean') return flag !== false;
  const text = String(value).trim();
  if (/^(?:inactive|disabled|banned|blocked)$/i.test(text)) return false;
  if (/^(?:1|true|yes|on|y|t|active|enabled|\cA)$/i.test(text)) return true;
  throw new UnreadableValue('unreadable_status', 'Whether the link is active must be a boolean, active or inactive.');
}

/** Hashes of passwords as PHP, Python, LDAP, MySQL and digests write them, in hexadecimal digits or Base64. */
const hash =
  /^(?=.{20})(?:\$[\w-]+\$|\{[\w-]+\}|(?:pbkdf2|scrypt|bcrypt|argon2|sha\d|md5)[\w-]*[:$]|\*?(?:[\da-f]{8}){4,16}$|(?:[\w+/]{27}|[\w+/]{43}|[\w+/]{86}=)=$)/i;

/** Whether a value is a password itself, and not a mark that there is one, a hash or a mask such as `****`. */
function isSecret(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const text = String(value).trim();
  return !/^(?:true|yes|on|y|t|1|[*•●]+)$/i.test(text) && !hash.test(text);
}
