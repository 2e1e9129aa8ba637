/** The bundle that takes longest, which would otherwise be among the last ones. */
const longest = 'engines-store.test.js';

/** What `npm run test:change` adds to `npm test`: each promise on each engine, and one way through the browser a page. */
export default {
  files: ['reports/tests/change/*.test.js'],
  workerThreads: false,
  timeout: '5m',
  // With more at once, servers answer too late now and then.
  concurrency: 2,
  sortTestFiles: (one, other) =>
    Number(other.endsWith(longest)) - Number(one.endsWith(longest)) || one.localeCompare(other),
  // `npm test` has run a hundred.
  environmentVariables: {SIMULATION_RUNS: '200'},
};
