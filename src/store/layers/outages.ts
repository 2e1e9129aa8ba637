import {isThenable} from '../../values/callback.ts';
import {isUnavailable} from '../../errors.ts';
import type {Answer} from '../driver.ts';
import type {Availability} from '../failing/availability.ts';
import type {Deadline} from '../failing/deadline.ts';
import {operationFailure, outage, type StoreAddress} from '../failing/failure.ts';
import type {Admission} from './admission.ts';
import type {Call} from './deadlines.ts';

/** What a call is for. `inspect` reads the configuration of the engine, which may say why records cannot be read. */
export type Purpose = 'read' | 'write' | 'inspect';

/** Sends calls to a store that is admitted. A failure begins an outage, and becomes the error of the port. */
export class Outages {
  readonly #call: Call;
  readonly #admission: Admission;
  readonly #availability: Availability;
  readonly #address: StoreAddress | undefined;

  /** @param address the parts of the connection string that errors may name, and those that they never repeat */
  constructor(call: Call, admission: Admission, availability: Availability, address: StoreAddress | undefined) {
    this.#call = call;
    this.#admission = admission;
    this.#availability = availability;
    this.#address = address;
  }

  async send<Result>(purpose: Purpose, question: (deadline: Deadline) => Answer<Result>): Promise<Result> {
    const isWrite = purpose === 'write';
    try {
      if (!this.#admission.isOpen && purpose !== 'inspect') await this.#admission.admit(isWrite);
      const answer = this.#call(question);
      // A local engine answers at once, and each `await` takes time.
      const result = isThenable(answer) ? await answer : answer;
      this.#availability.succeeded(isWrite);
      return result;
    } catch (error) {
      const failure = operationFailure(error, this.#address);
      if (isUnavailable(failure)) this.#availability.failed(failure, isWrite);
      throw failure;
    }
  }

  /** Called when the driver has lost its connection outside of a call. */
  lost(error: Error): void {
    this.#availability.failed(outage(error, this.#address));
  }

  /** @throws the error of a row that the engine has refused, which is no outage */
  accepted(result: boolean | Error): boolean {
    if (result instanceof Error) throw operationFailure(result, this.#address);
    return result;
  }
}
