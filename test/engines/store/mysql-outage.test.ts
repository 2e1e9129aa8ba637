import {missingMysql, ownMysql} from '../../support/store/mysql-server.ts';
import {testSqlOutages} from '../../support/store/sql-outage.ts';

const skip = await missingMysql();
testSqlOutages({title: 'mysql:', url: ownMysql('outage', skip), skip});
