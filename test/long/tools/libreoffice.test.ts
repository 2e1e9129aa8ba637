/** Our CSV after LibreOffice has opened and saved it, as people do in four countries. */
import '../../support/quick-scrypt.ts';
import {execFile, spawnSync} from 'node:child_process';
import {mkdir, mkdtemp, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import fc from 'fast-check';
import test from 'ava';
import {temporaryDirectory} from '../../support/store/temporary.ts';
import {comesBack, nastyLinks} from '../../support/tools/spreadsheet.ts';

const run = promisify(execFile);
const directory = temporaryDirectory();

/** Declares a test with LibreOffice. It is skipped without one, and fails in CI. */
const inLibreOffice = whyNoLibreOffice() === undefined ? test.serial : test.serial.skip;

function whyNoLibreOffice(): string | undefined {
  const {error} = spawnSync('soffice', ['--version']);
  if (error === undefined) return undefined;
  if (process.env['CI'] === 'true') throw error;
  console.warn(`Tests with a spreadsheet are skipped: ${error.message}`);
  return error.message;
}

/** The separators with which people of a country save a table. */
const locales = {'en-US': ',', 'de-DE': ';', 'fr-FR': ';', 'es-ES': ';'};

/** What a person can choose when a table is opened and saved. */
const ways = fc.record({
  /** Whether dates, shares and yes and no are recognised, too. */
  isKeen: fc.boolean(),
  /** Whether each cell is saved as it is shown. */
  isAsShown: fc.boolean(),
  areTextsQuoted: fc.boolean(),
  /** What it is saved as before it becomes CSV again. */
  between: fc.constantFrom(undefined, 'ods', 'xlsx'),
});

type Way = typeof ways extends fc.Arbitrary<infer Value> ? Value : never;

/** Settings of a user, which say in what country the user is. */
async function profileOf(locale: string): Promise<string> {
  const profile = await mkdtemp(join(directory, `${locale}-`));
  await mkdir(join(profile, 'user'));
  const settings = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${locale}</value></prop></item>
</oor:items>`;
  await writeFile(join(profile, 'user', 'registrymodifications.xcu'), settings);
  return profile;
}

/** The options of CSV, by their places: UTF-8, from the first line, in the language of the user. */
function csv(separator: string, ...last: readonly boolean[]): string {
  return `Text - txt - csv (StarCalc):${separator.charCodeAt(0)},34,76,1,,0,${last.join()}`;
}

/** The file after LibreOffice has opened and saved it. */
async function throughLibreOffice(text: string, profile: string, separator: string, way: Way): Promise<string> {
  const place = await mkdtemp(join(profile, 'files-'));
  const opened = join(place, 'links.csv');
  await writeFile(opened, text);
  const convert = async (file: string, to: string, from: readonly string[] = []): Promise<void> => {
    const user = `-env:UserInstallation=${pathToFileURL(profile).href}`;
    await run('soffice', [user, '--headless', '--norestore', ...from, '--convert-to', to, '--outdir', place, file]);
  };
  const asCsv = `saved.csv:${csv(separator, way.areTextsQuoted, true, way.isAsShown)}`;
  const open = [`--infilter=${csv(',', false, way.isKeen)}`];
  if (way.between === undefined) {
    await convert(opened, asCsv, open);
  } else {
    await convert(opened, way.between, open);
    await convert(join(place, `links.${way.between}`), asCsv);
  }
  return readFile(join(place, 'links.saved.csv'), 'utf8');
}

for (const [locale, separator] of Object.entries(locales)) {
  inLibreOffice(`what LibreOffice opens and saves comes back, or is refused line by line: ${locale}`, async (t) => {
    const profile = await profileOf(locale);
    await fc.assert(
      fc.asyncProperty(nastyLinks(200, 200), ways, async (links, way) => {
        await comesBack(t, links, 'UTC', async (text) => throughLibreOffice(text, profile, separator, way));
      }),
      {numRuns: 6, endOnFailure: true},
    );
  });
}
