import {readdir, stat} from 'node:fs/promises';
import test from 'ava';
import {checkGolden, checkOwnForm, goldenVersions} from '../../support/golden/files.ts';
import {goldenFolder} from '../../support/golden/folder.ts';
import {formsOfEngines, localForms, ndjson} from '../../support/golden/stores.ts';

test.serial('what this version stores is read and continued from an export', (t) => checkOwnForm(t, ndjson));

for (const golden of goldenVersions()) {
  for (const form of localForms.filter(({file}) => golden.files.includes(file))) {
    test.serial(`${form.file} of version ${golden.version} is read and continued`, (t) => checkGolden(t, golden, form));
  }

  test(`the stores of version ${golden.version} are complete and small, and a test reads each`, async (t) => {
    const folder = goldenFolder(golden.version);
    const files = await readdir(folder);
    t.deepEqual(files.toSorted(), ['expected.json', ...golden.files].toSorted());
    const read = [...localForms, ...Object.values(formsOfEngines)].map(({file}) => file);
    t.deepEqual(
      golden.files.filter((file) => !read.includes(file)),
      [],
    );
    const sizes = await Promise.all(files.map(async (file) => (await stat(`${folder}/${file}`)).size));
    t.true(sizes.reduce((sum, size) => sum + size) < 300_000);
  });
}
