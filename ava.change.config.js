/**
 * The longest bundles, which begin first: those that compute beside those that wait for engines. Otherwise one core would
 * wait for the last of them in the end.
 */
const first = ['simulation-schedules', 'engines-3', 'engines-store', 'long-description', 'engines-2', 'long-browser'];
const place = (file) => {
  const index = first.findIndex((name) => file.endsWith(`/${name}.test.js`));
  return index < 0 ? first.length : index;
};

/** What `npm run test:change` adds to `npm test`: each promise on each engine, and one way through the browser a page. */
export default {
  files: ['reports/tests/change/*.test.js'],
  sortTestFiles: (one, other) => place(one) - place(other) || (one < other ? -1 : 1),
  workerThreads: false,
  timeout: '5m',
  // With more at once, servers answer too late now and then.
  concurrency: 2,
  // `npm test` has run a hundred.
  environmentVariables: {SIMULATION_RUNS: '200'},
};
