// Koa 2 is installed under another name. The tests use only what has the types of Koa 3.
declare module 'koa2' {
  import Koa from 'koa';
  export default Koa;
}
