/**
 * The longest bundles, which begin first: one that computes beside two that mostly wait for engines. Otherwise a core would
 * wait for the last of them in the end.
 */
const first = [
  ...['engines-4', 'simulation-schedules', 'engines-1', 'engines-3', 'engines-store', 'long-browser'],
  ...['long', 'simulation-engines', 'engines-2', 'long-description', 'engines-scrypt'],
];
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
  // On two cores. With more at once, servers answer too late now and then.
  concurrency: 3,
  // `npm test` has run a hundred.
  environmentVariables: {SIMULATION_RUNS: '200', ORDERS_ON: 'postgres'},
};
