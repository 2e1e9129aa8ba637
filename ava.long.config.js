import all from './ava.config.js';

/** What `npm run test:long` adds to `npm test`: everything, as often as a night allows. */
export default {
  ...all,
  files: ['test/{engines,long}/**/*.test.ts', 'test/simulation/worlds.test.ts'],
  environmentVariables: {MOUNTED: 'whole', SIMULATION_RUNS: '5000', CUTS: '60', KILLS: '6', HISTORIES: '60'},
};
