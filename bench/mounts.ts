/**
 * Compares the CPU time of a redirect under Koa, `toNodeHandler` and `toWebHandler`, in one process without sockets: `npm
 * run bench:mounts`. The handler for the web is also measured with the `Request` and `Response` that a framework makes of
 * those of Node.js.
 */
import type {RequestListener} from 'node:http';
import type {Middleware} from 'koa';
import {range} from '../test/support/engines/crowd.ts';
import {withOwner} from '../test/support/owner.ts';
import {webListener} from '../test/support/web.ts';
import {quartiles} from './figures.ts';
import {InProcessServer, underKoa} from './in-process.ts';
import {host, packaged, target} from './measured-links.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 24);
/** Requests in a slice. */
const requests = 1000;
const atOnce = 50;
const warm = 10_000;

const dist = new URL('../dist/', import.meta.url);
const {toNodeHandler} = (await import(new URL('node.js', dist).href)) as typeof import('../src/node.ts');
const {toWebHandler} = (await import(new URL('web.js', dist).href)) as typeof import('../src/web.ts');

/** Gives the handler a request as a program has it, and the answer's head to Node.js. */
function directly(middleware: Middleware): RequestListener {
  const handle = toWebHandler(middleware);
  return ({url = '', headers}, response) => {
    const request = new Request(`http://${host}${url}`, {headers: headers as Record<string, string>});
    void handle(request).then((answer) => {
      response.writeHead(answer?.status ?? 404, {location: answer?.headers.get('location') ?? ''}).end();
    });
  };
}

/** The `Request` and `Response` of a framework alone. */
const frameworkAlone = webListener(
  () => Promise.resolve(new Response(null, {status: 302, headers: {location: target}})),
  'Not Found',
);

await withOwner(async (owner) => {
  const made = await packaged({store: 'memory:'});
  owner.teardown(() => made.close());
  const {middleware} = made;
  const path = (await made.create?.()) ?? '';
  const mounts: Readonly<Record<string, RequestListener>> = {
    Koa: underKoa(middleware),
    toNodeHandler: toNodeHandler(middleware),
    'toWebHandler, with a Request': directly(middleware),
    'toWebHandler, in a framework': webListener(toWebHandler(middleware), 'Not Found'),
    'the framework without a handler': frameworkAlone,
  };
  const subjects = Object.entries(mounts).map(([name, listener]) => {
    const server = new InProcessServer(listener, atOnce);
    server.visit([path]);
    return {name, server, cpu: [] as number[]};
  });
  for (const {server} of subjects) await server.run(warm);
  for (const round of range(rounds)) {
    for (const {server, cpu} of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const before = process.cpuUsage();
      await server.run(requests);
      const {user, system} = process.cpuUsage(before);
      cpu.push((user + system) / requests);
    }
  }
  const [underTheirKoa] = subjects;
  for (const {name, cpu} of subjects) {
    const {low, value, high} = quartiles(cpu.map((each, round) => each / (underTheirKoa?.cpu[round] ?? Number.NaN)));
    const ratio = [value, low, high].map((each) => each.toFixed(2));
    console.log(`${name}: ${quartiles(cpu).value.toFixed(0)} us, ${ratio[0]} of Koa (${ratio[1]} to ${ratio[2]})`);
  }
});
process.exit();
