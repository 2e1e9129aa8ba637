import all from './ava.config.js';

/** The test files that `npm run test:all` adds: a new file is quick unless a pattern here matches it. */
export default {
  ...all,
  files: [
    // Each of these needs an engine. A file in test/store or test/http that is named for an engine may be one of them.
    'test/{http,store}/*{redis,valkey,postgres,pgbouncer,mysql}*.test.ts',
    'test/store/sql-locks.test.ts',
    'test/fuzz/engines.test.ts',
    'test/tools/*-engines.test.ts',
    'test/examples/{host-app-secrets,host-app-users,short-engines}.test.ts',
    'test/{admin,batches,details,exactly-once,late-batches,limits,linearizable,model,outages,races,restarts,round-trips,scale,secrets,tenancy,visit-limits}.test.ts',

    // A browser, or nginx.
    'test/http/pages.test.ts',
    'test/{dashboard,examples}/*browser*.test.ts',
    'test/nginx.test.ts',

    // Processes that are killed.
    'test/crashes.test.ts',
    'test/store/*-processes.test.ts',
    'test/examples/short-processes.test.ts',

    // The HTTP contract on further mounts, and with the key in the header: `npm test` runs it at the root and under a prefix.
    'test/http/{before-routes,behind-routes,body-parser,connect,defer-false,key-in-header,koa-2,koa-mount,router}.test.ts',

    // The example site as a process, started and stopped a dozen times.
    'test/examples/host-app-server.test.ts',

    // Long runs of generated requests.
    'test/fuzz/*.test.ts',

    // Compilations of host programs against our declarations.
    'test/package/types.test.ts',
    'test/testing-consumer.test.ts',
  ],
};
