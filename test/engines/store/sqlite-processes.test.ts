import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {nodeClient} from '../../../src/store/sqlite/client.ts';
import {testProcesses} from '../../support/store/processes.ts';
import {temporaryDirectory} from '../../support/store/temporary.ts';

const directory = temporaryDirectory();

testProcesses({title: 'sqlite:', option: `sqlite:${join(directory, 'shared.db')}`});

testProcesses({
  title: 'sqlite: with both clients',
  option: `sqlite:${join(directory, 'both.db')}`,
  everySecondImports: pathToFileURL(resolve('test/support/store/without-node-sqlite.ts')).href,
  skip: nodeClient() ? undefined : 'this Node.js has no client of SQLite',
});
