import all from './ava.config.js';

/** The tests that `npm run test:all` adds: they need an engine, a browser or nginx, kill processes, or take long. */
export default {
  ...all,
  files: ['test/{engines,long}/**/*.test.ts', 'test/simulation/worlds.test.ts'],
  environmentVariables: {SIMULATION_RUNS: '5000'},
};
