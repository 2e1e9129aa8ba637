import {keyLabel, keyScope, maxKeys} from '../../../accounts/keys.ts';
import type {KeyScope} from '../../../accounts/record.ts';
import {choice, patterned, text, utc} from '../../../values/shape.ts';
import type {AnswerFields} from '../answer-fields.ts';
import {required} from '../known-parameters.ts';
import type {Operation} from '../operation.ts';

const id = {
  sentence: 'Names a labelled key. It is not secret.',
  shape: patterned(String.raw`^[\w-]{10}$`),
  example: 'V1StGXR8_Z',
};
const label = {sentence: 'What the key is for.', shape: keyLabel, example: 'Newsletter'};
const scope = {
  sentence: '`read`: only look at links. `create`: also create links. `full`: everything.',
  shape: keyScope,
  example: 'create',
};
const createdAt = {sentence: 'When the key was created.', shape: utc, example: '2029-12-24 09:30:00'};
const listed: AnswerFields = {id, label, scope, created: createdAt};

export const keys: Operation = {
  summary: 'List the labelled keys',
  description: 'Lists the labelled keys of the account, without the key of the registration.',
  parameters: {},
  scope: 'full',
  isPostOnly: true,
  answer: {
    sentence: 'The labelled keys of the account.',
    data: {keys: {sentence: 'The labelled keys, the oldest first.', max: maxKeys, rows: [listed]}},
  },
  example: {},
  run: async ({keys: ofAccounts}, {account}) => ({
    data: {keys: (await ofAccounts.list(account.id)).map((key) => ({...key}))},
  }),
};

export const createKey: Operation = {
  summary: 'Create a labelled key',
  description: `Creates a key with a label and a scope, at most ${maxKeys} for each account.`,
  parameters: {label: required(label), scope: required(scope)},
  scope: 'full',
  isPostOnly: true,
  errors: ['too_many_keys'],
  answer: {
    sentence: 'The new key.',
    data: {
      id,
      api_key: {
        sentence: 'The key itself. It is not shown again.',
        shape: patterned(String.raw`^[\w-]{32}-[\da-z]{1,11}$`),
        example: 'Vt5_hJq2-mZx8WcRk1nBv7TfYp4LsDg9-1k',
      },
      label,
      scope,
      created: createdAt,
    },
  },
  example: {label: 'Newsletter', scope: 'create'},
  run: async ({keys: ofAccounts}, {account, values}) => {
    const input = {label: values.get('label') as string, scope: values.get('scope') as KeyScope};
    const made = await ofAccounts.create(account.id, input);
    return {
      data: {id: made.id, api_key: made.apiKey, label: made.label, scope: made.scope, created: made.created},
    };
  },
};

export const revokeKey: Operation = {
  summary: 'Revoke a labelled key',
  description: 'Makes a labelled key invalid at once.',
  parameters: {id: required({...id, sentence: 'The `id` of the key.', shape: text})},
  scope: 'full',
  isPostOnly: true,
  errors: ['unknown_key'],
  answer: {
    sentence: 'The key was revoked.',
    data: {id, status: {sentence: 'The key is not valid any more.', shape: choice(['revoked']), example: 'revoked'}},
  },
  example: {id: id.example},
  run: async ({keys: ofAccounts}, {account, values}) => {
    const given = values.get('id') as string;
    await ofAccounts.revoke(account.id, given);
    return {data: {id: given, status: 'revoked'}};
  },
};
