import {missingMysql, ownMysql} from '../../support/store/mysql-server.ts';
import {testProcesses} from '../../support/store/processes.ts';

const skip = await missingMysql();
testProcesses({title: 'mysql:', option: ownMysql('processes', skip), skip});
