import all from './ava.config.js';
import slow from './ava.slow.config.js';

/** The test files of `npm test`: they need no engine and no browser, and end within about two minutes on two cores. */
export default {...all, files: [...all.files, ...slow.files.map((pattern) => `!${pattern}`)]};
