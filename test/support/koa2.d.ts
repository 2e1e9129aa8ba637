// Koa 2 is installed under another name; what the tests use of it has the types of Koa 3.
declare module 'koa2' {
  import Koa from 'koa';
  export default Koa;
}
