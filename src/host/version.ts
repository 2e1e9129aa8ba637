/** The version in package.json, repeated here because a program bundled into one file cannot read package.json. */
export const version = '2.0.0';
