const dotSegment = /(?:\/|%2f|\\|%5c)(?:\.|%2e){1,2}(?:$|\/|%2f|\\|%5c)/i;

/** Whether a path has a segment `.` or `..` for some server: it may be encoded, and so may the slashes beside it. */
export function hasDotSegments(path: string): boolean {
  return /\/\.|[%\\]/.test(path) && dotSegment.test(path);
}

/** Whether every parser of URLs reads this path in a request target: the target begins with it, and nothing ends it. */
export function isReadAlike(path: string, target: string): boolean {
  return target.startsWith(path) && /^\/(?!\/)[!"$-[\]-~]*$/.test(path);
}

/** Whether a path has empty segments or encoded slashes, which some servers drop or decode. */
export function hasHiddenSlashes(path: string): boolean {
  return /\/\/|%2f|%5c/i.test(path);
}
