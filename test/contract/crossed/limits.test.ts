import '../../support/quick-scrypt.ts';
import test from 'ava';
import {operations} from '../../../src/http/api/operations.ts';
import type {Schema} from '../../../src/values/shape.ts';
import {open} from '../../support/dashboard.ts';

/** Values just beyond what a schema allows, and some of other types. */
function beyond(schema: Schema): unknown[] {
  const {type, minLength, maxLength, minimum, maximum, items, maxItems, minItems, pattern} = schema;
  const wrong: unknown[] = [];
  if (maxLength !== undefined) wrong.push('x'.repeat(maxLength + 1));
  if (minLength !== undefined || pattern !== undefined || schema.enum) wrong.push('');
  if (schema.enum) wrong.push('\u0000');
  if (pattern !== undefined) wrong.push(...['\u0000', '/'].filter((text) => !new RegExp(pattern, 'u').test(text)));
  if (minimum !== undefined) wrong.push(minimum - 1);
  if (maximum !== undefined) wrong.push(maximum + 1);
  if (type === 'integer') wrong.push(1.5, '1', 1e300);
  if (type === 'boolean') wrong.push('true', 0);
  // Each item of a list of many has a result of its own.
  if (items !== undefined && items.type !== 'object') wrong.push(...beyond(items).map((item) => [item]));
  if (maxItems !== undefined) wrong.push(Array.from({length: maxItems + 1}, (_, index) => `x${index}`));
  if (minItems !== undefined && minItems > 0) wrong.push([]);
  if (type !== 'object') wrong.push({});
  if (type !== 'array') wrong.push([]);
  if (type !== 'integer') wrong.push(7);
  if (type === 'object' || type === undefined) wrong.push({unknown: 1});
  return wrong;
}

for (const [name, {parameters, example}] of operations) {
  test(`${name} refuses what is just beyond the limits of each parameter, and changes nothing`, async (t) => {
    const store = new Map<string, unknown>();
    const {shortener, origin} = await open(t, {
      shortUrl: {store, secret: 'a secret of good length, for tests', attribution: {}},
    });
    const {apiKey} = await shortener.accounts.create('ann');
    const {shortUrl: short_url} = await shortener.links.create('ann', {url: 'https://example.org/'});
    const usual = {...example, ...('short_url' in example && {short_url})};
    const before = JSON.stringify(Array.from(store));
    for (const [parameter, {shape, isNullable}] of Object.entries(parameters)) {
      for (const value of [...beyond(shape.schema), ...(isNullable ? [] : [null])]) {
        const reply = await fetch(`${origin}/api/v1/shorturl/${name}`, {
          method: 'POST',
          headers: {'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}`},
          body: JSON.stringify({[parameter]: value, ...without(usual, parameter)}),
        });
        const text = await reply.text();
        t.is(reply.status, 400, `${parameter} ${JSON.stringify(value).slice(0, 60)} ${text.slice(0, 300)}`);
      }
    }
    t.is(JSON.stringify(Array.from(store)), before);
  });
}

function without(fields: object, name: string): object {
  return Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name));
}
