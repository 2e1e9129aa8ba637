import {reseal} from '../reseal.ts';
import {whenToDrop} from '../secrets.ts';
import {type Command, UsageError} from './command.ts';
import {connectionString, secretsIn, text} from './stores.ts';

const help = `Usage: koa-short-url reseal --store URL

Encrypts all API keys with the new secret, so that you can drop old secrets. The
keys themselves stay the same. The site may keep running if it has all secrets.
Run it when every process has [newSecret, oldSecret], and drop the old secret
when attribution.maxAge has passed since then: see
node_modules/koa-short-url/docs/deployment.md#change-the-secret

Options:
  --store URL            the store; also STORE in the environment
  --namespace NAME       the namespace of the site (default: shorturl)
  --new-site-key         if the old secret is lost: forget the blocks of removed
                         accounts, the links of calls with reuse, customers,
                         and which conversions were counted

SHORT_URL_SECRET in the environment is the new secret. OLD_SECRETS has the old
ones, separated by commas.

Examples:
  SHORT_URL_SECRET=… OLD_SECRETS=… koa-short-url reseal --store sqlite:links.db

The exit code is 0 only if every key is encrypted with the new secret.
`;

export const resealing: Command = {
  summary: 'encrypt all API keys with the new secret',
  help,
  async run(call) {
    const store = connectionString(call, 'store');
    const secret = secretsIn(call.env);
    if (secret === undefined)
      throw new UsageError('Expected the new secret in the environment variable SHORT_URL_SECRET.');
    const summary = await reseal({
      store,
      namespace: text(call, 'namespace'),
      secret,
      newSiteKey: call.values['new-site-key'] === true,
      onProgress: call.onProgress,
      onUnopened: (account) => {
        call.report(`No secret decrypts the API key of the account ${JSON.stringify(account)}.`);
      },
    });
    if (summary.siteKey !== undefined) {
      call.report('No secret decrypts the key of the site. If the old secret is lost, pass --new-site-key.');
    }
    return {
      summary: summary.ok ? {...summary, next: whenToDrop} : summary,
      incomplete: summary.ok ? undefined : 'Not every API key is encrypted with the new secret.',
    };
  },
};
