/** What `npm run test:long` adds to `npm test`: everything, as often as a night allows. */
export default {
  files: ['reports/tests/{change,night}/*.test.js'],
  workerThreads: false,
  timeout: '5m',
  environmentVariables: {
    NIGHT: 'true',
    SIMULATION_RUNS: '5000',
    SIMULATION_SWITCHES: '3',
    CUTS: '60',
    KILLS: '6',
    HISTORIES: '60',
    SWITCHES: '20',
  },
};
