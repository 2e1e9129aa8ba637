import {existsSync} from 'node:fs';

export const goldenRoot = 'test/golden';

/** The folder with the stores that a released version has written. */
export const goldenFolder = (version: string): string => `${goldenRoot}/${version}`;

/** Whether the stores of a version are kept. */
export const hasGolden = (version: string): boolean => existsSync(`${goldenFolder(version)}/expected.json`);
