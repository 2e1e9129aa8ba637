import {isObject} from '../values/describe.ts';

/** Names of devices, as programs write them. */
const devices: ReadonlyMap<string, string> = new Map([
  ...['ios', 'iphone', 'ipad', 'apple'].map((name) => [name, 'ios'] as const),
  ...['desktop', 'web', 'windows', 'mac', 'macos', 'linux'].map((name) => [name, 'desktop'] as const),
  ['android', 'android'],
]);

/** The name of a device in a rule; other texts unchanged. */
export function deviceOf(name: string): string {
  return devices.get(name.trim().toLowerCase()) ?? name;
}

/**
 * The rules that a column of destinations means: an object of JSON with a URL for each country or device, or texts such
 * as `AU:https://a.example;NZ:https://b.example`. What is neither is no rule, which an import tells.
 */
export function readTargets(value: unknown): unknown[] {
  const targets = typeof value === 'string' ? entriesIn(value.trim()) : isObject(value) ? entriesOf(value) : [];
  return targets.map((target) => {
    if (!Array.isArray(target)) return target;
    const [name = '', url] = target as string[];
    return /^[a-z]{2}$/i.test(name.trim()) ? {country: name.trim().toUpperCase(), url} : {device: deviceOf(name), url};
  });
}

function entriesIn(text: string): readonly unknown[] {
  if (/^[[{]/.test(text)) {
    try {
      return entriesOf(JSON.parse(text) as object);
    } catch {
      return [text];
    }
  }
  const targets: string[] = [];
  let separator = '';
  for (const [index, part] of text.split(/([;|\n])/).entries()) {
    if (index % 2 === 1) separator = part;
    // A separator may be part of a URL, but not one before the name of another target.
    else if (targets.length === 0 || aTarget.test(part)) targets.push(part);
    else targets.push(`${targets.pop() ?? ''}${separator}${part}`);
  }
  return targets.flatMap((target): unknown[] => {
    const [, name, url = ''] = aTarget.exec(target) ?? [];
    if (name !== undefined) return [[name, withoutEnd(url)]];
    return target.trim() === '' ? [] : [target];
  });
}

const aTarget = /^\s*(\w+)\s*[:=]\s*([a-z][a-z\d+.-]*:[^]*)$/i;

/** A URL without separators at its end, in linear time. */
function withoutEnd(url: string): string {
  let end = url.length;
  while (/[;|\s]/.test(url.charAt(end - 1))) end -= 1;
  return url.slice(0, end);
}

/** The targets of an object. A list has rules already. */
function entriesOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return Object.entries(value).filter(([, url]) => url !== null && url !== '');
}
