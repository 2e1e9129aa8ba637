/** The test files that must find planted bugs, which test/long/planted.test.ts bundles. */
export default {files: ['reports/planted/**/*.test.js'], workerThreads: false, timeout: '2m'};
