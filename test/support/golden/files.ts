import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import type {ExecutionContext} from 'ava';
import type {Owner} from '../owner.ts';
import {fillGolden} from './fill.ts';
import {goldenFolder, goldenRoot} from './folder.ts';
import {type Inputs, observe, type Place} from './observe.ts';
import type {GoldenForm} from './stores.ts';

/** The stores that a released version has written. */
export interface Golden {
  readonly version: string;
  /** The names of their files. */
  readonly files: readonly string[];
  readonly inputs: Inputs;
  readonly observed: unknown;
}

/** The stores of all released versions. */
export function goldenVersions(): Golden[] {
  const versions = existsSync(goldenRoot) ? readdirSync(goldenRoot) : [];
  return versions.map(
    (version) => JSON.parse(readFileSync(`${goldenFolder(version)}/expected.json`, 'utf8')) as Golden,
  );
}

/** Reads and changes a copy of a store, and compares what it shows with what its own version has shown. */
export async function checkGolden(t: ExecutionContext, golden: Golden, form: GoldenForm): Promise<void> {
  const {version, inputs, observed: expected} = golden;
  const content = await readFile(`${goldenFolder(version)}/${form.file}`);
  t.deepEqual(alike(await shownBy(t, form, content, inputs), expected), expected);
}

/** Fills a store with everything that this version can store, and compares what it shows with what its saved form shows. */
export async function checkOwnForm(t: ExecutionContext, form: GoldenForm): Promise<void> {
  // It hashes passwords as a site does.
  t.timeout(120_000);
  const place = await form.fresh(t);
  const inputs = await fillGolden(t, place);
  const content = await saved(form, place, inputs);
  const expected = await at(inputs.now, () => observe(t, place, inputs));
  t.deepEqual(await shownBy(t, form, content, inputs), expected);
}

/** The saved form of a store, with what has not expired by its clock. */
export async function saved(form: GoldenForm, place: Place, inputs: Inputs): Promise<Buffer> {
  return Buffer.from(await at(inputs.now, () => form.save(place)));
}

/** What a saved store shows once it is loaded, and how it answers then. */
export async function shownBy(
  owner: Owner,
  form: GoldenForm,
  content: Buffer,
  inputs: Inputs,
): Promise<Record<string, unknown>> {
  const place = await form.fresh(owner);
  return at(inputs.now, async () => {
    await form.load(content, place);
    return observe(owner, place, inputs);
  });
}

/** Runs a tool or a site by the clock of the store, because a tool leaves out, and an engine removes, what has expired. */
async function at<Result>(now: number, work: () => Promise<Result>): Promise<Result> {
  const real = Date.now;
  Date.now = () => now;
  try {
    return await work();
  } finally {
    Date.now = real;
  }
}

/** The value with those properties of objects that the expected value has. Later versions may show more. */
function alike(value: unknown, expected: unknown): unknown {
  if (typeof value !== 'object' || typeof expected !== 'object' || value === null || expected === null) return value;
  if (Array.isArray(value)) {
    return Array.isArray(expected) ? value.map((item, index) => alike(item, expected[index])) : value;
  }
  const members = Object.entries(expected).map(([name, member]) => [name, alike(Reflect.get(value, name), member)]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
