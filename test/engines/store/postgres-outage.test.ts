import {missingPostgres, ownPostgres} from '../../support/store/postgres-server.ts';
import {testSqlOutages} from '../../support/store/sql-outage.ts';

const skip = await missingPostgres();
testSqlOutages({title: 'postgres:', url: ownPostgres('outage', skip), skip});
