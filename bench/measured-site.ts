import {ShortParts} from '../src/link/short-part.ts';
import {shortUrlOptions} from '../src/shortener/options.ts';
import {range} from '../test/support/engines/crowd.ts';
import type {EngineOptions} from '../test/support/engines/engines.ts';
import type {Owner} from '../test/support/owner.ts';
import {MeasuredServer} from './measured-server.ts';

/** Links on an engine, of the package or written by hand. Their server is started several times on the same data. */
export class MeasuredSite {
  /** All servers so far. */
  readonly #servers: MeasuredServer[] = [];
  /** The paths of the links. */
  paths: readonly string[] = [];

  readonly name: string;
  readonly kind: 'links' | 'hand-written';
  readonly options: EngineOptions;
  /** Whether the engine keeps the links when the server ends. */
  readonly keepsLinks: boolean;
  readonly #owner: Owner;

  constructor(
    {name, kind, options, keepsLinks}: Pick<MeasuredSite, 'name' | 'kind' | 'options' | 'keepsLinks'>,
    owner: Owner,
  ) {
    [this.name, this.kind, this.options, this.keepsLinks] = [name, kind, options, keepsLinks];
    this.#owner = owner;
  }

  /** @param core the only core that the server may use; by default all */
  async start(core?: number): Promise<MeasuredServer> {
    const server = await MeasuredServer.start(this.kind, this.options, {core, paths: this.paths});
    this.#owner.teardown(() => server.close());
    this.#servers.push(server);
    return server;
  }

  /** Creates the links, unless the engine has kept them. */
  async fill(server: MeasuredServer, links: number, atOnce: number): Promise<void> {
    if (this.paths.length > 0 && this.keepsLinks) return;
    this.paths = (await server.create(links, atOnce)).paths;
  }

  /** Checks that every answered redirect was stored exactly once. */
  async check(server: MeasuredServer): Promise<void> {
    const visits = await server.visits();
    const counted = this.keepsLinks ? this.#servers : [server];
    const answered = counted.reduce((sum, each) => sum + each.answered, 0);
    if (visits === answered) return;
    throw new Error(`${this.name}: ${answered} redirects were answered, but ${visits} visits are stored`);
  }
}

/** Paths with slugs as random as those of the package. */
export function randomPaths(count: number): string[] {
  const shortParts = new ShortParts();
  return range(count).map(() => `/${shortParts.generate(shortUrlOptions.slugLength.default)}`);
}
