import {eachOf} from '../support/engines/each.ts';
import {engines} from '../support/engines/engines.ts';
import {checkGolden, checkOwnForm, goldenVersions} from '../support/golden/files.ts';
import {formsOfEngines} from '../support/golden/stores.ts';

// The other stores are read by test/contract/package/golden.test.ts.
const onEach = await eachOf(engines.filter(({name}) => name in formsOfEngines));

onEach((check) => {
  check('what this version stores is read and continued from the form that is kept of it', async (t, {name}) => {
    const form = formsOfEngines[name];
    if (form !== undefined) await checkOwnForm(t, form);
  });

  for (const golden of goldenVersions()) {
    check(`a store that version ${golden.version} has written is read and continued`, async (t, {name}) => {
      const form = formsOfEngines[name];
      if (form !== undefined && golden.files.includes(form.file)) await checkGolden(t, golden, form);
      else t.pass();
    });
  }
});
