import {execFile} from 'node:child_process';
import {appendFile, chmod, mkdir, readFile, writeFile} from 'node:fs/promises';
import {delimiter, join, resolve} from 'node:path';
import {promisify} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {temporaryFolder} from '../../support/folder.ts';

const run = promisify(execFile);
const script = resolve('scripts/release.ts');

const manifestOf = (version: string): string =>
  JSON.stringify({name: 'a-package', version, repository: 'r', bugs: 'b', homepage: 'h', author: 'Ann'});

/** A repository that is ready for a release, and an `npm` that only records its arguments. */
async function ready(t: ExecutionContext) {
  const folder = await temporaryFolder(t);
  const [repository, programs, asked] = [join(folder, 'repository'), join(folder, 'programs'), join(folder, 'asked')];
  await mkdir(repository);
  await mkdir(programs);
  await writeFile(asked, '');
  await writeFile(join(programs, 'npm'), `#!/bin/sh\necho "$*" >>'${asked}'\n`);
  await chmod(join(programs, 'npm'), 0o755);
  await writeFile(join(repository, 'package.json'), manifestOf('1.2.0'));
  await writeFile(join(repository, 'package-lock.json'), manifestOf('1.2.0'));
  await writeFile(join(repository, 'CHANGELOG.md'), '# Changelog\n\n## [1.2.0] - 2030-01-31\n\n- A thing.\n');
  await mkdir(join(repository, 'test/golden/1.2.0'), {recursive: true});
  await writeFile(join(repository, 'test/golden/1.2.0/expected.json'), '{}');
  const git = async (...words: string[]) => run('git', words, {cwd: repository});
  const commit = async () => {
    await git('add', '.');
    await git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '--quiet', '--message', 'A change');
  };
  await git('init', '--quiet');
  await commit();
  const release = async (parameters: readonly string[]) => {
    const env = {...process.env, PATH: `${programs}${delimiter}${process.env['PATH'] ?? ''}`};
    const words = ['--import', import.meta.resolve('tsx'), script, ...parameters];
    return run(process.execPath, words, {cwd: repository, env}).then(
      ({stdout}) => ({succeeded: true, said: stdout}),
      (error: unknown) => ({succeeded: false, said: (error as {stderr: string}).stderr}),
    );
  };
  const askedOfNpm = async () => (await readFile(asked, 'utf8')).trim().split('\n');
  return {repository, git, commit, release, askedOfNpm};
}

test('a release with --publish runs all checks first', async (t) => {
  const {release, askedOfNpm} = await ready(t);
  const {succeeded, said} = await release(['--publish']);
  t.true(succeeded, said);
  const tests = ['ci', 'run lint', 'run typecheck', 'run test:long', 'run lint:pack', 'run matrix'];
  t.deepEqual(await askedOfNpm(), [...tests, 'publish --access public']);
});

test('a release is refused with every obstacle, and npm is not called', async (t) => {
  const {repository, git, commit, release, askedOfNpm} = await ready(t);
  const isRefused = async (reason: RegExp, parameters: readonly string[]) => {
    const {succeeded, said} = await release(parameters);
    t.false(succeeded);
    t.regex(said, reason);
  };
  await appendFile(join(repository, 'CHANGELOG.md'), '- Another.\n');
  await isRefused(/changes that are not committed:\nM CHANGELOG\.md/, ['--publish']);
  await commit();
  await git('tag', 'v1.2.0');
  await isRefused(/The tag v1\.2\.0 exists already/, []);
  await writeFile(join(repository, 'package.json'), manifestOf('1.3.0'));
  await commit();
  await isRefused(
    /package-lock\.json has the version 1\.2\.0, package\.json 1\.3\.0\.\nThe newest section of CHANGELOG\.md/,
    ['--publish'],
  );
  await isRefused(/The stores of version 1\.3\.0 are not kept: run npm run golden/, []);
  t.deepEqual(await askedOfNpm(), ['']);
});
