import test from 'ava';
import {secretsOf, withoutSecrets} from '../../../../src/tools/command/secrets.ts';
import {isLinear} from '../../../support/linear.ts';

const password = 'p@ss/w%C3%B6rd';

test('the passwords of all connection strings, and the secrets, are removed from a message', (t) => {
  const secrets = secretsOf(['--to', `redis://user:${password}@host:6379/0`], {
    FROM: 'postgres://host/?password=another',
    SHORT_URL_SECRET: 'what seals',
    OLD_SECRETS: 'first second',
    PATH: '/bin',
  });
  const message = `${password} p@ss/wörd another what seals first second redis://x:y@host /bin host`;
  t.is(withoutSecrets(message, secrets), '… … … … … redis://…@host /bin host');
});

test('without connection strings a message is unchanged', (t) => {
  const secrets = secretsOf(['import', '--store', 'sqlite:links.db', 'links.ndjson'], {STORE: 'redis://localhost'});
  t.deepEqual(secrets, []);
  t.is(withoutSecrets('The file links.db does not exist', secrets), 'The file links.db does not exist');
});

test('a message of many slashes is read in linear time', async (t) => {
  t.true(await isLinear(20_000, (length) => withoutSecrets('/'.repeat(length), [])));
});
