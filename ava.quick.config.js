import all from './ava.config.js';

/** The tests of `npm test`: they need no engine and no browser, and end within two to five minutes on two cores. */
export default {...all, files: ['test/{unit,contract,simulation}/**/*.test.ts']};
