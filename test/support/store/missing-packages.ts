/** Reports the errors of stores, and what a check says of one, in a process in which no driver's package is installed. */
import './without-node-sqlite.ts';
import {register} from 'node:module';
import {openStore} from '../../../src/store/opening/open.ts';
import {checkStore} from '../../../src/tools.ts';

const hideDrivers = `export async function resolve(specifier, context, next) {
  if (!/^(libsql|pg|mysql2|@keyv\\/redis)$/.test(specifier)) return next(specifier, context);
  throw Object.assign(new Error('Cannot find package'), {code: 'ERR_MODULE_NOT_FOUND'});
}`;
register(`data:text/javascript,${encodeURIComponent(hideDrivers)}`);

const report: Record<string, string> = {};
for (const option of ['sqlite:missing.db', 'redis://localhost', 'postgres://localhost', 'mariadb://localhost/db']) {
  const store = openStore(option, {namespace: 'n'});
  await store.ping().catch((error: unknown) => {
    const {code, message} = error as {code: string; message: string};
    report[option] = `${code}: ${message}`;
  });
  await store.close();
}
const {findings} = await checkStore({store: 'redis://localhost'});
report['check'] = findings.map(({code, remedy}) => `${code}: ${remedy}`).join();
process.send?.(report);
process.disconnect();
