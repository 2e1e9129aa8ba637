// koa-csrf comes without types.
declare module 'koa-csrf' {
  import type {Middleware} from 'koa';
  const CSRF: new () => Middleware;
  export default CSRF;
}
