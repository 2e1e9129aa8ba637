/**
 * The lowest version that a range of ours allows, in full: of `^2.16.4 || ^3.1.2` it is `2.16.4`, of `>=20.19` it is
 * `20.19.0`.
 *
 * @throws TypeError for a range of another form
 */
export function lowestOf(range: string): string {
  const [, major, minor = '0', patch = '0'] = /^(?:\^|>=)(\d+)(?:\.(\d+))?(?:\.(\d+))?(?: \|\| |$)/.exec(range) ?? [];
  if (major === undefined) throw new TypeError(`Expected a range such as ^1.2.3 or >=1.2, got ${range}`);
  return `${major}.${minor}.${patch}`;
}
