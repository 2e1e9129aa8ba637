/** Links on a Redis Cluster for which the site has a client: `npm install keyv @keyv/redis`. */
import KeyvRedis, {createCluster} from '@keyv/redis';
import {Keyv} from 'keyv';
import Koa from 'koa';
import {type ShortUrl, shortUrl} from 'koa-short-url';

export interface Settings {
  /** Some nodes of the cluster, as `host:port`; the client finds the others. */
  readonly nodes: readonly string[];
  readonly secret: string;
}

export interface Site {
  readonly app: Koa;
  readonly shortener: ShortUrl;
  close(): Promise<void>;
}

export function buildApp({nodes, secret}: Settings): Site {
  const client = createCluster({rootNodes: nodes.map((node) => ({url: `redis://${node}`}))});
  const keyv = new Keyv(new KeyvRedis(client), {namespace: 'site'});

  const app = new Koa();
  const shortener = shortUrl({baseUrl: 'https://example.com', store: keyv, secret});
  app.use(shortener);
  return {
    app,
    shortener,
    async close() {
      await shortener.close();
      await keyv.disconnect(); // `shortener.close()` leaves your client open
    },
  };
}
