import test from 'ava';
import '../../support/quick-scrypt.ts';
import {type Failure, refused, statuses} from '../../support/answers.ts';
import {errorsOf, follow, openApi, operations, type Response} from '../../support/description.ts';
import {judgeValue} from '../../support/judge.ts';
import {understand} from '../../support/judge-call.ts';
import {failures, failuresOfPost} from './failures.ts';
import {bodies, openScene, paths} from './scene.ts';

const calls = [
  ...Array.from(operations.values(), ({operationId, responses}) => ({name: operationId, responses})),
  ...openApi['x-other-calls'].map(({summary, responses}) => ({name: summary, responses})),
].filter(({name}) => !['visit', 'look', 'openWithPassword'].includes(name) && !name.startsWith('post'));

for (const {name, responses} of calls) {
  // An operation has the same errors wherever its key is, so each is seen once in JSON and once in XML.
  const inPath = name.endsWith('WithKeyInPath');
  const suffix = inPath ? '.xml' : '.json';
  const keyIn = inPath ? 'path' : 'header';
  const pathOf = paths[name.replace('WithKeyInPath', '')];
  const described = Object.entries(responses).map(([status, response]) => ({
    status: Number(status),
    errors: errorsOf(follow<Response>(response)) as readonly Failure[],
  }));

  for (const error of described.flatMap(({errors}) => errors)) {
    // Ten thousand links; a POST provokes it too.
    if (error === 'too_many_links') continue;
    test(`${name} fails with ${error} as described`, async (t) => {
      const scene = await openScene(t, {keyIn});
      const reply = await failures[error as keyof typeof failures](scene, pathOf?.(scene) ?? '', suffix);
      refused(t, reply, error);
      t.true(described.find(({errors}) => errors.includes(error))?.status === statuses[error]);
    });
  }

  if (described.some(({status}) => status === 200)) {
    test(`${name} succeeds as described`, async (t) => {
      for (const ending of [suffix, '']) {
        const scene = await openScene(t, {keyIn});
        const path = (pathOf?.(scene) ?? '') + ending;
        t.is((await scene.site.call(path)).status, 200);
        t.is(understand({path: `/api/v1/${inPath ? 'key/' : ''}shorturl/${path}`}, '')?.name, name);
      }
    });
  }
}

for (const [path, {post}] of Object.entries(openApi.paths)) {
  const [, operation = ''] = /^\/api\/v1\/shorturl\/(\w+)$/.exec(path) ?? [];
  if (post === undefined || operation === '') continue;

  for (const [status, response] of Object.entries(post.responses)) {
    for (const [index, error] of (errorsOf(follow<Response>(response)) as readonly Failure[]).entries()) {
      test(`a POST of ${operation} fails with ${status} ${error} as described`, async (t) => {
        const suffix = index % 2 === 0 ? '.json' : '.xml';
        const scene = await openScene(t, {keyIn: 'header'});
        const fail = failuresOfPost[`${status} ${error}`] ?? failuresOfPost[error];
        const send = (body: unknown, call = {}) => scene.site.post(operation, body, {suffix, ...call});
        const reply = await fail?.(send, bodies[operation]?.(scene) ?? {}, scene);
        if (reply !== undefined) refused(t, reply, error, Number(status));
        else t.fail();
      });
    }
  }

  test(`a POST of ${operation} succeeds as described`, async (t) => {
    const schema = post.requestBody?.content['application/json'].schema ?? {};
    for (const suffix of ['.json', '.xml', '']) {
      const scene = await openScene(t, {keyIn: 'header'});
      const body = bodies[operation]?.(scene) ?? {};
      t.notThrows(() => {
        judgeValue(body, schema);
      });
      t.is((await scene.site.post(operation, body, {suffix})).status, 200);
      t.is(understand({method: 'POST', path: `/api/v1/shorturl/${operation}${suffix}`}, '')?.name, post.operationId);
    }
  });
}
