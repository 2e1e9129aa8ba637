/** The tests of `npm test`, in the bundles that scripts/bundle-tests.js makes. They need no engine and no browser. */
export default {files: ['reports/tests/quick/*.test.js'], workerThreads: false, timeout: '2m'};
