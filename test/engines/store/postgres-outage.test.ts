import {Keyv} from 'keyv';
import {hostPostgres, missingPostgres, ownPostgres} from '../../support/store/postgres-server.ts';
import {testSqlOutages} from '../../support/store/sql-outage.ts';

const skip = await missingPostgres();
// Cutting idle connections of the adapter's own pool would end the process, because their errors have no listener.
const host = (url: string): Keyv => new Keyv({store: hostPostgres(url, {maxUses: 1}), useKeyPrefix: false});
testSqlOutages({title: 'postgres:', url: ownPostgres('outage', skip), host, skip});
