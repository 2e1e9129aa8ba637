/** What `npm run test:change` adds to `npm test`: each promise on each engine, and one way through the browser a page. */
export default {
  files: ['reports/tests/change/*.test.js'],
  workerThreads: false,
  timeout: '5m',
  // With more at once, servers answer too late now and then.
  concurrency: 2,
  // `npm test` has run a hundred.
  environmentVariables: {SIMULATION_RUNS: '200'},
};
