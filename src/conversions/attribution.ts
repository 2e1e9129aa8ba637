import type {Seal} from '../accounts/seal.ts';
import type {LinkName} from '../link/bases.ts';

/** Authenticated with each token. */
const purpose = 'koa-short-url via';

/** In characters: more than the longest domain and short part need. */
const maxToken = 2048;

const radix = 36;

export interface Via extends LinkName {
  readonly id: number;
  /** The variant of the link that the visitor saw; undefined for a link without variants. */
  readonly variant?: string | undefined;
}

interface Visit extends Via {
  /** In milliseconds since the epoch. */
  readonly at: number;
}

export interface AttributionDependencies {
  readonly seal: Pick<Seal, 'sealAlike' | 'tryOpen'>;
  /** In seconds. */
  readonly maxAge: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Tokens that name the link of a visit and its second. They are the same for all visitors of the link in that second, in
 * every process, so a token names no person. It is sealed, so nobody without the secret can make one or read it.
 */
export class Attribution {
  readonly #dependencies: AttributionDependencies;
  #second = 0;
  /** The tokens of that second, by the `url_id` of the link and the variant. */
  #tokens = new Map<number | string, Promise<string>>();

  constructor(dependencies: AttributionDependencies) {
    this.#dependencies = dependencies;
  }

  /** @param at the time of the visit, in milliseconds since the epoch */
  token({domain, slug, id, variant}: Via, at: number): Promise<string> {
    const second = Math.floor(at / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#tokens = new Map();
    }
    const key = variant === undefined ? id : `${id} ${variant}`;
    let token = this.#tokens.get(key);
    if (token === undefined) {
      const seen = variant === undefined ? [] : [encodeURIComponent(variant)];
      const text = [second.toString(radix), id.toString(radix), domain, slug, ...seen].join(' ');
      token = this.#dependencies.seal.sealAlike(text, purpose);
      this.#tokens.set(key, token);
    }
    return token;
  }

  async first(tokens: readonly string[]): Promise<string | undefined> {
    for (const token of tokens) if ((await this.open(token)) !== undefined) return token;
    return undefined;
  }

  /** The link of a token, and the time of the visit; undefined for a token that is forged, changed or too old. */
  async open(token: unknown): Promise<Visit | undefined> {
    // Base64 ignores some bits at its end, and a changed token must not open.
    if (typeof token !== 'string' || token.length > maxToken || !isBase64Url(token)) return undefined;
    const {seal, maxAge, now} = this.#dependencies;
    const opened = await seal.tryOpen(token, purpose);
    const [, second = '', id = '', domain = '', slug = '', variant] =
      /^([\da-z]+) ([\da-z]+) (\S+) (\S+)(?: (\S+))?$/.exec(opened?.text ?? '') ?? [];
    const at = parseInt(second, radix) * 1000;
    if (slug === '' || at + maxAge * 1000 < now()) return undefined;
    const seen = variant === undefined ? {} : {variant: decodeURIComponent(variant)};
    return {domain, slug, id: parseInt(id, radix), at, ...seen};
  }
}

function isBase64Url(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text;
}
