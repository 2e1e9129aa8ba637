/** The option `confirm`: which links ask before they open. */
export type ConfirmOption = 'never' | 'limited' | 'always';

/** What `Link` shows of a field that a link does not set. */
export interface FieldDefaults {
  readonly forwardQuery: boolean;
  readonly confirm: ConfirmOption;
}

interface Asking {
  readonly confirm?: boolean | undefined;
  readonly maxVisits?: number | undefined;
  readonly password?: string | undefined;
}

/**
 * Whether the link asks visitors to press a button before it opens. One with a password asks for that instead.
 *
 * @param usual applies to a link that does not say it
 */
export function asksFirst({confirm, maxVisits}: Asking, usual: ConfirmOption): boolean {
  return confirm ?? (usual === 'always' || (usual === 'limited' && maxVisits !== undefined));
}

/** Whether visitors get a form first: for the password, or to confirm. */
export function hasForm(record: Asking, usual: ConfirmOption): boolean {
  return record.password !== undefined || asksFirst(record, usual);
}
