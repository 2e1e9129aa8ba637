const Koa = require('koa');
const {shortUrl} = require('koa-short-url');

exports.buildApp = function buildApp({baseUrl, store, secret}) {
  const app = new Koa(); // the site you have
  const shortener = shortUrl({baseUrl, store, secret});
  app.use(shortener);

  app.use((ctx) => {
    if (ctx.path === '/') ctx.body = 'Your pages answer as before.';
  });
  return {app, shortener};
};
