/** Where the API is. */
export interface ClientOptions {
  /**
   * The address of the site, as in its option `baseUrl`, with an API key. Without one, the address of the API of the
   * dashboard, such as `/links/api`, which knows the user by the session of the site.
   */
  readonly url: string;
  /** The API key of an account. Do not send it to a browser. */
  readonly apiKey?: string;
}

/** Options of a call. */
export interface CallOptions {
  /**
   * Makes a repeated `create` or `createMany` safe for 24 hours: the same key and parameters give the same answer. 1 to 64
   * visible ASCII characters.
   */
  readonly idempotencyKey?: string | undefined;
  /** Ends the call, for example `AbortSignal.timeout(5000)`. The call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}
