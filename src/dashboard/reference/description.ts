import type {DashboardRequest} from '../request.ts';
import {dateOf} from '../visits/days.ts';

/** A piece of a text: plain, code, or a link. */
export interface Piece {
  readonly text: string;
  readonly isCode?: boolean;
  readonly address?: string;
}

export interface ShownHeader {
  readonly name: string;
  readonly value?: string | undefined;
  readonly text: readonly Piece[];
}

export interface ShownResponse {
  readonly status: string;
  readonly text: readonly Piece[];
  readonly headers: readonly ShownHeader[];
  /** The error codes that come with the status. */
  readonly errors: readonly string[];
}

export interface ShownOperation {
  readonly name: string;
  readonly title: string;
  readonly text: readonly Piece[];
  readonly method: string;
  readonly path: readonly Piece[];
  /** The URL with an example of each parameter; with the placeholders of `forSite`. */
  readonly address: string;
  /** An example of the JSON to post; with the placeholders of `forSite`. Undefined for a GET. */
  readonly body?: string | undefined;
  /** Whether the API key is in the `Authorization` header. */
  readonly hasKeyInHeader: boolean;
  /** Whether it is in the path. The title does not say so. */
  readonly hasKeyInPath: boolean;
  readonly parameters: ReadonlyArray<{readonly name: string; readonly text: readonly Piece[]}>;
  readonly responses: readonly ShownResponse[];
  /** An answer in each format. */
  readonly examples: ReadonlyArray<{readonly format: string; readonly text: string}>;
}

/** The description of the API for its pages. `scripts/generate.ts` makes it from docs/openapi.json. */
export interface ApiReference {
  readonly title: string;
  readonly summary: string;
  readonly paragraphs: ReadonlyArray<readonly Piece[]>;
  readonly groups: ReadonlyArray<{
    readonly name: string;
    readonly text: readonly Piece[];
    readonly operations: readonly ShownOperation[];
  }>;
  readonly others: ReadonlyArray<{
    readonly title: string;
    readonly text: readonly Piece[];
    readonly responses: readonly ShownResponse[];
  }>;
  /** The headers that every answer of the API has. */
  readonly headers: readonly ShownHeader[];
  readonly errors: ReadonlyArray<{readonly status: string; readonly code: string; readonly text: readonly Piece[]}>;
}

/** Replaces the placeholders of an example, so that it can be copied: `{date}` is a day in the next month. */
export function forSite(example: string, {shortener, now}: Pick<DashboardRequest, 'shortener' | 'now'>): string {
  const [site = ''] = shortener.baseUrls;
  return example
    .replaceAll('{site}', site)
    .replaceAll('{date}', dateOf(now + 30 * 24 * 60 * 60 * 1000))
    .replaceAll('{domain}', new URL(site).host)
    .replaceAll(/\{base64:([^}]*)\}/g, (_, path: string) => Buffer.from(site + path).toString('base64url'));
}
