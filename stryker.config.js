import process from 'node:process';

/** Which tests judge the mutants of a folder of src: those that say what it does, and that are quick. */
const tests = {
  accounts: ['test/accounts/*.test.ts', 'test/http/limits.test.ts'],
  links: [
    'test/links/*.test.ts',
    'test/accounts/accounts.test.ts',
    'test/http/loops.test.ts',
    'test/http/limits.test.ts',
    'test/http/callbacks.test.ts',
    'test/mutation/links-over-http.ts',
  ],
  http: [
    'test/http/redact.test.ts',
    'test/http/redact-any.test.ts',
    'test/http/form.test.ts',
    'test/http/request.test.ts',
    'test/http/middleware.test.ts',
    'test/http/guest.test.ts',
    'test/http/page-languages.test.ts',
    'test/http/password-outage.test.ts',
    'test/http/outage.test.ts',
    'test/http/parameters.test.ts',
    'test/http/client.test.ts',
    'test/http/escaping.test.ts',
    'test/http/bots.test.ts',
    'test/http/callbacks.test.ts',
    'test/http/limits.test.ts',
    'test/http/loops.test.ts',
    'test/http/root.test.ts',
    'test/http/defer-false.test.ts',
  ],
  store: ['test/store/!(redis-cluster|redis-sentinel|pgbouncer|*-processes).test.ts'],
};

const {MUTATE: folder = ''} = process.env;
if (!Object.hasOwn(tests, folder)) {
  throw new TypeError(`Expected MUTATE to be one of ${Object.keys(tests).join(', ')}, got ${JSON.stringify(folder)}`);
}

// The tests import AVA, and get what runs them on Mocha: see test/mutation.
process.env['TSX_TSCONFIG_PATH'] = 'test/mutation/paths.json';

export default {
  mutate: [`src/${folder}/**/*.ts`],
  // A test of the time that the program takes says nothing of one that looks at each step which mutant it is.
  mochaOptions: {spec: tests[folder], grep: '^(?!.*is dealt with as quickly as any)'},
  testRunner: 'mocha',
  testRunnerNodeArgs: ['--import=tsx', '--import=./test/support/quick-scrypt.ts'],
  coverageAnalysis: 'perTest',
  // What runs once when a module is loaded takes a process and all tests of the folder for each mutant.
  ignoreStatic: true,
  timeoutMS: 3000,
  timeoutFactor: 1.5,
  disableTypeChecks: 'src/**/*.ts',
  ignorePatterns: ['dist', 'bench', 'reports'],
  tempDirName: '.stryker',
  reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
  clearTextReporter: {allowColor: false, reportTests: false},
  htmlReporter: {fileName: `reports/mutation/${folder}.html`},
  jsonReporter: {fileName: `reports/mutation/${folder}.json`},
};
