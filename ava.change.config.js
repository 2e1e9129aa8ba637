import all from './ava.config.js';

/** What `npm run test:change` adds to `npm test`: each promise on each engine, and one way through the browser a page. */
export default {
  ...all,
  files: [
    'test/{engines,long}/**/*.test.ts',
    'test/simulation/worlds.test.ts',
    // Thousands of random calls, and a large site.
    '!test/long/fuzz/**',
    '!test/long/scale.test.ts',
  ],
  environmentVariables: {SIMULATION_RUNS: '300', CUTS: '20', KILLS: '3', HISTORIES: '20'},
};
