/** Users of the package need these fields to find its source, its author and the place to report a bug. */
const required = ['repository', 'bugs', 'homepage', 'author'];

/** The reasons why a package with this manifest cannot be published, a sentence each; empty if it can be. */
export function missingFields(manifest: Readonly<Record<string, unknown>>): string[] {
  const isMissing = (name: string): boolean => manifest[name] === undefined || manifest[name] === '';
  return required.filter(isMissing).map((name) => `package.json has no "${name}". Add it before you publish.`);
}
