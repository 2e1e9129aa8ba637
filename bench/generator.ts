/** The load generator, in a separate process: one request at a time on each connection. */
import {inTurn, range} from '../test/support/engines/crowd.ts';
import {answerParent} from './child.ts';
import {Connection} from './connection.ts';
import {quantile} from './figures.ts';
import {host} from './measured-links.ts';
import {zipf} from './zipf.ts';

/** A list of paths is defined under a name. A run names the list, and requests the first paths most often. */
export type Question = Definition | Run;

interface Definition {
  readonly do: 'define';
  readonly name: string;
  readonly paths: readonly string[];
  /** Whether each path is requested once first. */
  readonly isEachFirst?: boolean;
}

interface Run {
  readonly do: 'run';
  /** The name of the list of paths. */
  readonly name: string;
  /** The servers, over which the connections are spread. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly milliseconds: number;
  /** Whether to open new connections, to a server that closes idle ones. */
  readonly reconnects?: boolean | undefined;
}

/** The result of a run. All requests of the run have been answered. */
export interface Load {
  readonly requests: number;
  readonly milliseconds: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const draws = 200_000;
const defined = new Map<string, () => string>();
/** Connections by the ports of their servers. They stay open between the slices. */
const open = new Map<string, readonly Connection[]>();

answerParent(answer, close);

async function answer(question: Question): Promise<Load | undefined> {
  if (question.do === 'run') return run(question);
  define(question);
  return undefined;
}

function define({name, paths, isEachFirst = false}: Definition): void {
  const requests = paths.map(
    (path) => `GET ${path} HTTP/1.1\r\nUser-Agent: Mozilla/5.0 Firefox/140.0\r\nHost: ${host}\r\n\r\n`,
  );
  const order = zipf(paths.length, draws);
  let first = isEachFirst ? 0 : requests.length;
  let turn = 0;
  defined.set(name, () => {
    if (first < requests.length) return requests[first++] ?? '';
    turn = (turn + 1) % draws;
    return requests[order[turn] ?? 0] ?? '';
  });
}

async function connectionsTo({ports, connections: count, reconnects}: Run): Promise<readonly Connection[]> {
  const name = ports.join();
  if (reconnects) for (const connection of open.get(name) ?? []) connection.close();
  // A server may have the port of one that has ended.
  const known = (open.get(name) ?? []).filter(({isOpen}) => isOpen);
  const missing = range(count).slice(known.length);
  const connections = [...known, ...(await Promise.all(missing.map((index) => Connection.open(inTurn(ports, index)))))];
  open.set(name, connections);
  return connections.slice(0, count);
}

async function run(asked: Run): Promise<Load> {
  const {name, milliseconds, ports} = asked;
  const next = defined.get(name);
  if (next === undefined) throw new Error(`There are no paths of the name ${name}`);
  const connections = await connectionsTo(asked);
  const begin = performance.now();
  const stop = ports.length === 1 ? keepAwake() : undefined;
  const latencies = await Promise.all(connections.map((connection) => connection.run(next, begin + milliseconds)));
  const took = performance.now() - begin;
  stop?.();
  const all = latencies.flat();
  return {
    requests: all.length,
    milliseconds: took,
    p50: quantile(all, 0.5),
    p99: quantile(all, 0.99),
  };
}

function close(): void {
  for (const connection of Array.from(open.values()).flat()) connection.close();
}

/**
 * Keeps this process from sleeping. A write to a sleeping client wakes it, which costs a server on a virtual machine up
 * to 10 us. A fast server keeps its client awake and a slow one does not, so small differences between them would look
 * large. Several servers need the core of the generator for themselves.
 */
function keepAwake(): () => void {
  let immediate: NodeJS.Immediate;
  const turn = (): void => {
    immediate = setImmediate(turn);
  };
  turn();
  return () => {
    clearImmediate(immediate);
  };
}
