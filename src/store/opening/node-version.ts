/**
 * Refuses an unsupported Node.js at once. Otherwise something fails later, with an error that does not name the reason.
 *
 * @throws Error that names the supported versions
 */
export function requireNode(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return;
  throw new Error(`koa-short-url needs Node.js 20.19 or later, or 22.12 or later, but not 21. This is ${version}.`);
}
