/** The version in package.json, which a program that was bundled into one file could not read. */
export const version = '2.0.0';
