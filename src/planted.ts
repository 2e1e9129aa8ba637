const bug = process.env['PLANTED'];

/**
 * Whether the bug with this name is planted here, so that a test can show that it finds it: `PLANTED=<name>` plants one.
 * test/planted/bugs.ts lists them. `npm run build` takes out every call.
 */
export function planted(name: string): boolean {
  return bug === name;
}
