/** The test files of `npm run test:one`, which scripts/test-one.js bundles. */
export default {files: ['reports/one/**/*.test.js'], workerThreads: false, timeout: '2m'};
