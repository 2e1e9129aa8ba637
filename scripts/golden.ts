/**
 * Keeps the stores that this version writes, so that tests of later versions read them: `npm run golden`. It needs Redis,
 * Postgres and MySQL, and runs once for each version, before its release.
 */
// First, because it replaces the source of all random bytes.
import {reseed} from '../test/support/golden/seeded.ts';
import assert from 'node:assert/strict';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {kinds} from '../src/tools/kinds.ts';
import {type Golden, saved, shownBy} from '../test/support/golden/files.ts';
import {fillGolden} from '../test/support/golden/fill.ts';
import {goldenFolder, hasGolden} from '../test/support/golden/folder.ts';
import {formsOfEngines, localForms} from '../test/support/golden/stores.ts';
import {withOwner} from '../test/support/owner.ts';

const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};

/** @throws if the stores lack a kind of record. Only during a check there are trials. */
function checkKinds(commands: string): void {
  const kept = new Set((JSON.parse(commands) as string[][]).map(([, key = '']) => key.split(':')[0]));
  const missing = kinds.map(({name}) => name).filter((name) => !name.startsWith('check') && !kept.has(name));
  if (missing.length > 0) throw new Error(`No store has: ${missing.join(', ')}`);
}

async function keepStores(): Promise<void> {
  if (hasGolden(version)) throw new Error(`${goldenFolder(version)} exists, and never changes.`);
  const files = new Map<string, Buffer>();
  let golden: Golden | undefined;
  const forms = [...localForms, ...Object.values(formsOfEngines)];
  await withOwner(async (owner) => {
    for (const form of forms) {
      const {file} = form;
      const place = await form.fresh(owner);
      const inputs = await fillGolden(owner, place, reseed);
      const content = await saved(form, place, inputs);
      // Reading changes a store, so a copy is read.
      const observed = await shownBy(owner, form, content, inputs);
      const next = {version, files: forms.map((one) => one.file), inputs, observed};
      golden ??= next;
      assert.deepEqual(next, golden, `${file} does not show the same as the first store.`);
      files.set(file, content);
      console.log(`${file}: ${content.length}`);
    }
  });
  checkKinds(String(files.get('redis.json')));
  files.set('expected.json', Buffer.from(`${JSON.stringify(golden, undefined, 2)}\n`));
  mkdirSync(goldenFolder(version), {recursive: true});
  for (const [file, content] of files) writeFileSync(`${goldenFolder(version)}/${file}`, content);
}

await keepStores();
