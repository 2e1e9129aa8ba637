declare module 'pg/lib/utils.js' {
  const utils: {
    /** The text of a value that the client sends. */
    prepareValue(value: unknown): unknown;
  };
  export default utils;
}
