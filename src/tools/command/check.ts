import {checkStore} from '../check/check.ts';
import type {Command} from './command.ts';
import {connectionString, listIn, secretsIn, text} from './stores.ts';

const help = `Usage: koa-short-url check --store URL

Finds settings of a store that would harm the site, and says how to fix them:
missing persistence, eviction, a replica, missing rights, unsafe commits, narrow
columns, a wrong clock, or a secret that does not decrypt the API keys. To test
the store, it writes a few records and removes them.

Options:
  --store URL            the store; also STORE in the environment
  --namespace NAME       the namespace of the site (default: shorturl)
  --base-url URL         as in the options of the site, to check the domains of
                         its links
  --base-domains A,B     as in the options of the site
  --clean                remove counters and references without a link, which
                         killed processes leave, complete lists, finish
                         removals of accounts and repair damaged sequences;
                         not during a copy or an import

SHORT_URL_SECRET and OLD_SECRETS in the environment are the site's secrets.
Separate old ones by commas. Without SHORT_URL_SECRET, API keys are not checked.

Examples:
  koa-short-url check --store sqlite:links.db
  SHORT_URL_SECRET=… koa-short-url check --store redis://localhost:6379

The check sees only the store. A running site warns of mistakes in its setup on
standard error, at the first request that shows one: see
node_modules/koa-short-url/docs/troubleshooting.md#warnings

The exit code is 0 only if there is no problem. Advice does not change it.
`;

export const check: Command = {
  summary: 'find settings of a store that would harm the site',
  help,
  async run(call) {
    const summary = await checkStore({
      store: connectionString(call, 'store'),
      namespace: text(call, 'namespace'),
      baseUrl: text(call, 'base-url'),
      baseDomains: listIn(text(call, 'base-domains')),
      clean: call.values['clean'] === true,
      secret: secretsIn(call.env),
    });
    for (const {severity, code, message, remedy} of summary.findings) {
      call.report(`${severity}: ${code}: ${message}`);
      call.report(`  ${remedy}`);
    }
    call.report('Mistakes in the setup of the site are warnings on its standard error:');
    call.report('  node_modules/koa-short-url/docs/troubleshooting.md#warnings');
    return {summary, incomplete: summary.ok ? undefined : 'There are problems.'};
  },
};
