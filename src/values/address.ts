import {shapeOf} from './shape.ts';

/** The address of a page of the host in an option. Other schemes are refused, because `javascript:` would run a script. */
export const anAddress = shapeOf<string>({
  expected: 'a path that begins with one / and has no backslash, . or .. as a part, or an absolute http or https URL',
  schema: {type: 'string'},
  holds: (value) => typeof value === 'string' && (isPath(value) || isHttpUrl(value)),
});

/** Whether a path has no `.` and no `..`, which browsers resolve: the path would never be requested, or lead elsewhere. */
export function hasNoDots(path: string): boolean {
  return path.split('/').every((segment) => !/^(?:\.|%2e){1,2}$/i.test(segment));
}

/** Browsers read a backslash as a slash and ignore tabs and line ends, so that `/\\evil` leads to another site. */
function isPath(text: string): boolean {
  return /^\/(?!\/)[^\\\p{Control}]*$/u.test(text) && hasNoDots(text.replace(/[?#].*$/s, ''));
}

function isHttpUrl(text: string): boolean {
  try {
    return /^https?:\/\/[^/\\\p{Control}][^\\\p{Control}]*$/u.test(text) && new URL(text).host !== '';
  } catch {
    return false;
  }
}
