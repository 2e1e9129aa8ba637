/** All test files, so that `npx ava FILE` finds any of them. */
export default {
  files: ['test/**/*.test.ts'],
  extensions: {ts: 'module'},
  nodeArguments: ['--import=tsx'],
  workerThreads: false,
  timeout: '2m',
};
