import type {Account} from '../../accounts/accounts.ts';
import type {Keys, KeyScope} from '../../accounts/keys.ts';
import type {Announcer} from '../../links/announcer.ts';
import type {Conversions} from '../../conversions/conversions.ts';
import type {Links} from '../../links/links.ts';
import type {Data, Picture, Stream} from '../envelope.ts';
import type {ParameterNames, Values} from './parameters.ts';

/** The result of an operation: the fields of `data` in their order, without `date_time`. */
export interface Result {
  readonly data: Data;
  readonly stream?: Stream;
  /** A picture, which is the answer itself instead of `data`. */
  readonly picture?: Picture;
  /** The `date_time` of the answer; by default the time of this call. A repeated call has that of the first. */
  readonly dateTime?: string | undefined;
}

export interface Operation {
  readonly parameters: ParameterNames;
  /** What a key needs to run it. A prefetch must not run an operation that does more than read. */
  readonly scope: KeyScope;
  readonly isPostOnly?: true;
  readonly run: (services: OperationServices, request: OperationRequest) => Promise<Result>;
}

export interface OperationServices {
  readonly links: Links;
  readonly conversions: Conversions;
  readonly keys: Keys;
  readonly announcer: Announcer;
}

/** A call of an operation, whose values come from a path or a JSON object. */
export interface OperationRequest {
  readonly account: Account;
  readonly values: Values;
  /** The header `Idempotency-Key`, not checked yet; undefined if there is none. Only creations use it. */
  readonly idempotencyKey: string | undefined;
}
