import test from 'ava';
import '../../support/quick-scrypt.ts';
import {type Failure, refused} from '../../support/answers.ts';
import {errorsOf, follow, openApi, type Response} from '../../support/description.ts';
import {judgeValue} from '../../support/judge.ts';
import {forms, understand} from '../../support/judge-call.ts';
import {isNight} from '../../support/night.ts';
import {failures} from './failures.ts';
import {attempt, type Called} from './scene.ts';

const others: Readonly<Record<string, string>> = {
  'Any other operation': 'delete',
  'Any other method': 'list_active_urls',
};
const calls = [
  ...forms.map(({operation, ...form}) => ({
    ...{...operation, ...form, id: operation.operationId},
    // A GET with its key in the path has the same errors.
    isRepeated: form.method === 'GET' && form.keyIn === 'header',
  })),
  ...openApi['x-other-calls'].map(({summary, responses}) => ({
    ...{id: summary, name: others[summary] ?? '', method: 'GET', keyIn: 'header' as const},
    ...{responses, requestBody: undefined, isRepeated: false},
  })),
];

for (const {responses, requestBody, id, name, method, keyIn, isRepeated} of calls) {
  const called: Called = {id, name, method, keyIn};
  const title = method === 'POST' ? `a POST of ${name}` : id;
  // An operation has the same errors wherever its key is, so each is seen once in JSON and once in XML.
  const suffixes = method === 'POST' ? ['.json', '.xml'] : [keyIn === 'path' ? '.xml' : '.json'];

  for (const [status, response] of isRepeated && !isNight ? [] : Object.entries(responses)) {
    for (const [index, error] of (errorsOf(follow<Response>(response)) as readonly Failure[]).entries()) {
      // Ten thousand links; a POST provokes it too.
      if (error === 'too_many_links' && method === 'GET') continue;
      test(`${title} fails with ${status} ${error} as described`, async (t) => {
        const fail = failures[`${method} ${error}`] ?? failures[`${status} ${error}`] ?? failures[error];
        const reply = await fail?.(await attempt(t, called, suffixes[index % suffixes.length] ?? ''));
        if (reply !== undefined) refused(t, reply, error, Number(status));
        else t.fail();
      });
    }
  }

  if (!('200' in responses)) continue;
  test(`${title} succeeds as described`, async (t) => {
    for (const suffix of [...suffixes, '']) {
      const {send, parameters, path} = await attempt(t, called, suffix);
      t.notThrows(() => {
        if (requestBody) judgeValue(parameters, requestBody.content['application/json'].schema);
      });
      t.is((await send(parameters)).status, 200);
      const address = `/api/v1/${keyIn === 'path' ? 'key/' : ''}shorturl/${path}${suffix}`;
      t.is(understand({method, path: address}, '')?.name, id);
    }
  });
}
