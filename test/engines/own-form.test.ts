import '../support/quick-scrypt.ts';
import {eachOf} from '../support/engines/each.ts';
import {engines} from '../support/engines/engines.ts';
import {checkOwnForm} from '../support/golden/files.ts';
import {formsOfEngines} from '../support/golden/stores.ts';

const onEach = await eachOf(engines.filter(({name}) => name in formsOfEngines));

onEach((check) => {
  check('what this version stores is read and continued from the form that is kept of it', async (t, {name}) => {
    const form = formsOfEngines[name];
    if (form !== undefined) await checkOwnForm(t, form);
  });
});
