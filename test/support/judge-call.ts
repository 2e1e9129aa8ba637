import {follow, openApi, type Operation, operations, type Parameter} from './description.ts';
import type {Ask} from './request.ts';

/** An API call with the answers that the description allows. */
export interface Call {
  readonly name: string;
  readonly responses: Operation['responses'];
  readonly type: 'application/json' | 'application/xml';
  /** The given parameters with their values; empty if the path is ambiguous. */
  readonly given: ReadonlyArray<readonly [parameter: Parameter, value: string]>;
}

export interface Form {
  readonly operation: Operation;
  readonly method: string;
  readonly keyIn: 'path' | 'header';
  /** The name of the operation in its path. */
  readonly name: string;
  readonly parameters: ReadonlyMap<string, Parameter>;
}

/** Of several forms with the same name, the one with the fewest parameters comes first. */
export const forms: readonly Form[] = Object.entries(openApi.paths)
  .flatMap(([path, item]) => {
    const [, key, name = ''] = /^\/api\/v1\/(\{key\}\/)?shorturl\/(\w+)/.exec(path) ?? [];
    if (name === '') return [];
    return Object.entries(item).map(([method, operation]) => ({
      operation,
      method: method.toUpperCase(),
      keyIn: key === undefined ? ('header' as const) : ('path' as const),
      name,
      parameters: new Map(
        (operation.parameters ?? []).map((reference) => {
          const parameter = follow<Parameter>(reference);
          return [parameter.name, parameter] as const;
        }),
      ),
    }));
  })
  .sort((one, other) => one.parameters.size - other.parameters.size);

const [anyOtherOperation, anyOtherMethod] = openApi['x-other-calls'];

/**
 * Finds the operation of a request; undefined if it is not an API call.
 *
 * @param base the path prefix of the site
 */
export function understand({method = 'GET', path}: Ask, base: string): Call | undefined {
  const [bare = ''] = path.split('?');
  const [, key, called] = /^\/api\/v1\/(?:([^/]+)\/shorturl|shorturl)\/([^/].*)$/s.exec(bare.slice(base.length)) ?? [];
  // The address of a password form is that of a visitor.
  if (!bare.startsWith(`${base}/`) || called === undefined || /^open\/[\w-]+$/.test(called)) return undefined;
  const type = /\.xml$/i.test(bare) ? 'application/xml' : 'application/json';
  const rest = called.split('/');
  const segments = [...rest.slice(0, -1), (rest.at(-1) ?? '').replace(/\.[^.]*$/, '')];
  const keyIn = key === undefined ? 'header' : 'path';
  const others = forms.filter((form) => form.name === segments[0]).map((form) => form.method);
  const isOther =
    method === 'GET' ? others.length > 0 && !others.includes('GET') : method !== 'POST' || keyIn === 'path';
  if (isOther) {
    if (anyOtherMethod === undefined) throw new Error('The description has nothing on other methods');
    return {name: anyOtherMethod.summary, responses: anyOtherMethod.responses, type, given: []};
  }
  const form = formOf(method, keyIn, segments);
  if (form !== undefined) {
    const {operation} = form;
    return {name: operation.operationId, responses: operation.responses, type, given: givenIn(segments, form)};
  }
  if (anyOtherOperation === undefined) throw new Error('The description has nothing on other operations');
  return {name: anyOtherOperation.summary, responses: anyOtherOperation.responses, type, given: []};
}

/** The smallest form with all of the named parameters. If no form has all of them, the largest. */
function formOf(method: string, keyIn: Form['keyIn'], [name, ...segments]: readonly string[]): Form | undefined {
  const ofThatName = forms.filter((form) => form.name === name && form.keyIn === keyIn && form.method === method);
  const known = new Set(ofThatName.flatMap(({parameters}) => [...parameters.keys()]));
  const named = segments.filter((segment) => known.has(segment) && segment !== 'key' && segment !== 'format');
  return ofThatName.find(({parameters}) => named.every((each) => parameters.has(each))) ?? ofThatName.at(-1);
}

/** The parameter `format` of `qr`. In the description `format` is the suffix of every path. */
const pictureFormat = 'picture_format';

function givenIn([, ...segments]: readonly string[], {parameters}: Form): Array<readonly [Parameter, string]> {
  const given: Array<readonly [Parameter, string]> = [];
  for (let index = 0; index < segments.length; index += 2) {
    const name = segments[index] ?? '';
    const parameter = parameters.get(name === 'format' ? pictureFormat : name);
    const value = segments[index + 1];
    if (parameter === undefined || value === undefined) return [];
    given.push([parameter, value]);
  }
  return given;
}

/** The operation of a visitor who opens a short URL. */
export function visitBy(method: string): Operation | undefined {
  const ids: Readonly<Record<string, string>> = {GET: 'visit', HEAD: 'look', POST: 'openWithPassword'};
  return operations.get(ids[method] ?? '');
}
