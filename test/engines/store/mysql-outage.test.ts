import {Keyv} from 'keyv';
import {hostMysql, missingMysql, ownMysql} from '../../support/store/mysql-server.ts';
import {testSqlOutages} from '../../support/store/sql-outage.ts';

const skip = await missingMysql();
const host = (url: string): Keyv => new Keyv({store: hostMysql(url), useKeyPrefix: false});
testSqlOutages({title: 'mysql:', url: ownMysql('outage', skip), host, skip});
