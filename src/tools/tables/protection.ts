import type {LinkStatus} from '../../link/link.ts';
import type {ProtectiveField} from './columns.ts';
import {UnreadableValue} from './unreadable.ts';
import {isNone, plain, readYesOrNo} from './words.ts';

/** Parts of names that have to do with passwords, blocks, expiry or limits. */
const protective = new RegExp(
  [
    'passw|passphrase|passcode|pwd|motdepasse|contrasena|密码|密碼|protect|secur|schutz|geschutzt|protege',
    'lock(?!e[dr]by)|block|^ban|banned|sperr|bloque|bloqu|disab|deaktiv|desactiv|inaktiv|inactiv|suspend|paus|revok|禁|封',
    'expir|ablauf|gultig|verfall|caduc|vencim|valid|deadline|ttl|until|有效|过期|過期|到期',
    'quota|(?:max|limit|remaining|allowed).*(?:click|visit|hit|view|use|klick|besuch)',
    '(?:click|visit|hit|view|use|klick|besuch).*(?:max|limit|remaining|left|allowed|cap)|次数上限|次數上限',
  ].join('|'),
);

/** Whether the name of a column that nothing reads may be about what keeps visitors from a link. */
export function mayProtect(name: string): boolean {
  return protective.test(plain(name));
}

/** Whether a value in such a column says that there is nothing. */
export function saysNothing(value: unknown): boolean {
  if (value === undefined || value === null || readYesOrNo(value) === false) return true;
  if (typeof value === 'object') return Object.values(value).every(saysNothing);
  return typeof value === 'string' && (isNone(value) || isZeroDate(value));
}

/** What keeps visitors from a link. */
export interface Protection {
  readonly isDisabled: boolean;
  readonly password: string | undefined;
  /** Whether it has a password that is not in the source. */
  readonly isLocked: boolean;
}

/** What a column of such a field says. */
export interface ProtectiveValue {
  readonly field: ProtectiveField;
  readonly name: string;
  readonly value: unknown;
}

/**
 * Reads the columns or members of a link. Each of them can put the link out of service or lock it.
 *
 * @throws UnreadableValue `unreadable_status`
 */
export function readProtection(values: Iterable<ProtectiveValue>): Protection {
  let isDisabled = false;
  let isLocked = false;
  let password: string | undefined;
  for (const {field, name, value} of values) {
    if (field === 'disabled') isDisabled ||= isOff(name, value);
    else if (field === 'enabled') isDisabled ||= isOffBy(name, value);
    else if (field === 'locked') isLocked ||= !saysNothing(value);
    else if (!saysNothing(value)) {
      if (isSecret(value)) password = String(value);
      else isLocked = true;
    }
  }
  return {isDisabled, password, isLocked: isLocked && password === undefined};
}

/** Whether a column such as `active` says that a link is out of service. */
function isOffBy(name: string, value: unknown): boolean {
  const state = stateOf(value);
  return state === undefined ? readFlag(name, value) === false : state === 'off';
}

/** A column such as `deleted_at` has the date of what happened. */
function isOff(name: string, value: unknown): boolean {
  if (saysNothing(value)) return false;
  const state = stateOf(value);
  if (state !== undefined) return state === 'off';
  return /(?:at|on|date)$/.test(plain(name)) || isDate(value) || readFlag(name, value) === true;
}

/** Whether a link works, or is out of service, as a word in a column says. */
function stateOf(value: unknown): 'on' | 'off' | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.trim().toLowerCase();
  if (onWords.has(word)) return 'on';
  return offWords.has(word) ? 'off' : undefined;
}

const onWords: ReadonlySet<string> = new Set(
  'active enabled aktiv actif activo activa attivo ativo 启用 啟用'.split(' '),
);
const offWords: ReadonlySet<string> = new Set(
  (
    'inactive disabled banned blocked suspended expired deleted inaktiv deaktiviert gesperrt abgelaufen inactif ' +
    'désactivé bloqué expiré inactivo desactivado bloqueado caducado 禁用 停用 已禁用 已停用 已过期 已過期'
  ).split(' '),
);

/**
 * A yes or a no; undefined for a cell without either. No other text is taken for one of them, because it may be a no in
 * another language.
 *
 * @throws UnreadableValue `unreadable_status`
 */
export function readFlag(name: string, value: unknown): boolean | undefined {
  const flag = readYesOrNo(value);
  if (flag !== 'unknown') return flag;
  const shown = name.replaceAll(/[^\p{L}\p{N} _-]/gu, '').slice(0, 40);
  throw new UnreadableValue('unreadable_status', `The value of “${shown}” must be yes or no, true or false, 1 or 0.`);
}

/**
 * The status of a link, as words of many programs say it.
 *
 * @throws UnreadableValue `unreadable_status`
 */
export function readStatus(value: unknown): LinkStatus {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (text === 'expired' || text === 'scheduled') return text;
  const flag = stateOf(value) ?? readYesOrNo(value) ?? 'on';
  if (flag === 'on' || flag === true) return 'active';
  if (flag === 'off' || flag === false) return 'disabled';
  throw new UnreadableValue('unreadable_status', 'The status must be active, disabled, expired or scheduled.');
}

/** A zero date of MySQL says that nothing happened. */
function isZeroDate(text: string): boolean {
  return text.trim().startsWith('0000-00-00');
}

function isDate(value: unknown): boolean {
  return value instanceof Date || (typeof value === 'string' && /^\s*\d{4}-\d{2}-\d{2}/.test(value));
}

/** Hashes of passwords as PHP, Python, LDAP, MySQL and digests write them, in hexadecimal digits or Base64. */
const hash =
  /^(?=.{20})(?:\$[\w-]+\$|\{[\w-]+\}|(?:pbkdf2|scrypt|bcrypt|argon2|sha\d|md5)[\w-]*[:$]|\*?(?:[\da-f]{8}){4,16}$|(?:[\w+/]{27}|[\w+/]{43}|[\w+/]{86}=)=$)/i;

/** Whether a value is a password itself, and not a mark that there is one, a hash or a mask such as `****`. */
function isSecret(value: unknown): boolean {
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  const text = String(value).trim();
  return readYesOrNo(text) !== true && !/^[*•●]+$/.test(text) && !hash.test(text);
}
