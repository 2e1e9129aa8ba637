/** What is read of an app of Koa, or of a framework on Koa. */
export interface ProxiedApp {
  readonly proxy?: boolean;
  readonly config?: unknown;
}

/** `app.proxy`, which Egg has in its configuration: reading it from the app prints that it is deprecated. */
export function trustsProxy(app: ProxiedApp): boolean {
  const {proxy = app.proxy} = (app.config ?? app) as {readonly proxy?: unknown};
  return proxy === true;
}
