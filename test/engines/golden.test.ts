import {eachOf} from '../support/engines/each.ts';
import {engines} from '../support/engines/engines.ts';
import {checkGolden, goldenVersions} from '../support/golden/files.ts';
import {formsOfEngines} from '../support/golden/stores.ts';

// The other stores are read by test/contract/package/golden.test.ts.
const onEach = await eachOf(engines.filter(({name}) => name in formsOfEngines));

onEach((check) => {
  for (const golden of goldenVersions()) {
    check(`a store that version ${golden.version} has written is read and continued`, async (t, {name}) => {
      const form = formsOfEngines[name];
      if (form !== undefined && golden.files.includes(form.file)) await checkGolden(t, golden, form);
      else t.pass();
    });
  }
});
