import {execFile, type ExecFileException} from 'node:child_process';
import {promisify} from 'node:util';
import {openStore} from '../../src/store/opening/open.ts';
import {compiled} from '../support/engines/compiled.ts';
import {eachOf} from '../support/engines/each.ts';
import {engines, freshOn} from '../support/engines/engines.ts';
import {checkGolden, goldenVersions} from '../support/golden/files.ts';
import {formsOfEngines} from '../support/golden/stores.ts';

// The other stores are read by test/contract/package/golden.test.ts.
const onEach = await eachOf(engines.filter(({name}) => name in formsOfEngines));

const command = compiled('src/tools/command/main.ts');

onEach((check) => {
  for (const golden of goldenVersions()) {
    check(`a store that version ${golden.version} has written is read and continued`, async (t, {name}) => {
      const form = formsOfEngines[name];
      if (form !== undefined && golden.files.includes(form.file)) await checkGolden(t, golden, form);
      else t.pass();
    });
  }

  check('a command that refuses a store of another format ends at once', async (t, engine) => {
    const {store, namespace} = await freshOn(engine, t);
    const raw = openStore(store, {namespace, timeout: 20_000});
    t.teardown(() => raw.close());
    await raw.insert('format', {format: 1, version: '1.0.0'});
    const args = [await command(), 'export', '--store', store, '--namespace', namespace];
    // An operation of a command has thirty seconds.
    const {stderr, killed} = await t.throwsAsync<ExecFileException & {stderr: string}>(
      promisify(execFile)(process.execPath, args, {timeout: 15_000}),
    );
    t.false(killed);
    t.regex(stderr, /Export it with koa-short-url 1\.0\.0/);
  });
});
