import type {LinkStatus} from '../link/link.ts';
import type {ProtectiveField} from './columns.ts';
import {readMoment, timeZone} from './moments.ts';
import {UnreadableValue} from './unreadable.ts';
import {isNone, plain, readYesOrNo} from './words.ts';

/** Parts of names that have to do with passwords, blocks, expiry or limits: any value but a no may close a link. */
const closing = new RegExp(
  [
    'passw|^pass|pass$|passphrase|passcode|pwd|^pin$|pincode|access|motdepasse|contrasena|密码|密碼|protect|secur|schutz|geschutzt|protege',
    'lock(?!e[dr]by)|block|^ban|banned|sperr|bloque|bloqu|disab|deaktiv|desactiv|inaktiv|inactiv|suspend|paus|revok|禁|封',
    'expir|ablauf|gultig|verfall|caduc|vencim|deadline|ttl|until|有效|过期|過期|到期|stop|clos',
    'quota|limit|^max|max$|remaining|usage|(?:click|visit|hit|view|use|klick|besuch).*(?:left|allowed|cap)|次数上限|次數上限',
    'stat(?:e|us)$|zustand|statut|estado|privat|draft|hidden|trash|remov|delet|single|onetime|once',
  ].join('|'),
);

/** Parts of names of which a no closes a link. */
const opening = /public|publish|visib|live$|online|^open|valid(?!until|to|from)/;

/**
 * Whether what a column says that nothing reads may close a link: by the name of the column, or because it is a status, a
 * date, a yes or a no.
 */
export function mayClose(name: string, value: unknown): boolean {
  if (value === undefined || value === null || (typeof value === 'string' && isNone(value))) return false;
  // A URL closes nothing.
  if (typeof value === 'string' && /^\s*https?:\/\//i.test(value)) return false;
  const text = plain(name);
  const state = stateOf(value);
  if (state !== undefined) return state === 'off';
  const answer = readYesOrNo(value);
  if (opening.test(text)) return answer !== true;
  if (closing.test(text)) return !saysNothing(value) && !isHttpStatus(value);
  // A digit or a letter may be anything else.
  const isPlain = !(typeof value === 'number' || (typeof value === 'string' && /^\s*[\dxytfn]\s*$/i.test(value)));
  if (typeof answer === 'boolean') return isPlain || /^(?:is|has|can)(?:[_\s-]|[A-Z])/.test(name.trim());
  return typeof value === 'string' && isDate(value);
}

function isHttpStatus(value: unknown): boolean {
  return /^[1-5]\d\d$/.test(String(value).trim());
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

/** Words for the status of a link. */
const statuses: ReadonlyMap<string, LinkStatus> = new Map(
  Object.entries({
    active:
      'active enabled public publish published visible live online open aktiv öffentlich veröffentlicht actif publié activo ' +
      'activa attivo ativo público publicado 启用 啟用 有效',
    disabled:
      'inactive disabled banned blocked suspended deleted removed trash trashed draft private hidden paused stopped ' +
      'closed offline unpublished revoked locked inaktiv deaktiviert gesperrt gelöscht entwurf privat pausiert ' +
      'inactif désactivé bloqué supprimé brouillon privé inactivo desactivado bloqueado eliminado borrador ' +
      'privado 禁用 停用 已禁用 已停用 已封禁 已封鎖',
    expired: 'expired abgelaufen expiré caducado 已过期 已過期',
    scheduled: 'scheduled geplant programmé programado 待生效 已排程',
  }).flatMap(([status, words]) => words.split(' ').map((word) => [word, status as LinkStatus] as const)),
);

const statusIn = (value: unknown): LinkStatus | undefined =>
  typeof value === 'string' ? statuses.get(value.trim().toLowerCase()) : undefined;

/** Whether a link works, or is out of service, as a word in a column says. */
export function stateOf(value: unknown): 'on' | 'off' | undefined {
  const status = statusIn(value);
  if (status === undefined || status === 'scheduled') return undefined;
  return status === 'active' ? 'on' : 'off';
}

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
  const status = statusIn(value);
  if (status !== undefined) return status;
  const flag = readYesOrNo(value) ?? true;
  if (flag !== 'unknown') return flag ? 'active' : 'disabled';
  throw new UnreadableValue('unreadable_status', 'The status must be active, disabled, expired or scheduled.');
}

/** Whether a text or a value is a date, and not one that says that there is none. */
export function isDate(value: unknown): boolean {
  if (value instanceof Date) return true;
  if (typeof value !== 'string' || !/\d\D+\d/.test(value)) return false;
  try {
    return readMoment(value, '', {zone: timeZone(), isDayFirst: true}) !== undefined;
  } catch {
    return false;
  }
}

/** A date that says that nothing happened. */
function isZeroDate(text: string): boolean {
  return /^\s*(?:0000-00-00|0001-01-01|1899-12-30|1900-01-0[01])/.test(text);
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
