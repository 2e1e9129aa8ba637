import type {Moments} from './figures.ts';

/** The length of a moment, in milliseconds. */
export const momentLength = 50;

/** Samples the CPU time of this process and its requests. It does so itself, so that both are of the same moment. */
export class Watch {
  #requests = 0;
  #cpu: number[] = [];
  #perSecond: number[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Called for each request. */
  count(): void {
    this.#requests += 1;
  }

  start(): void {
    this.#cpu = [];
    this.#perSecond = [];
    let last = this.#sample();
    this.#timer = setInterval(() => {
      const now = this.#sample();
      const requests = now.requests - last.requests;
      if (requests > 0) {
        this.#cpu.push(rounded((now.cpu - last.cpu) / requests, 0.01));
        this.#perSecond.push(rounded((requests / (now.at - last.at)) * 1000, 1));
      }
      last = now;
    }, momentLength);
  }

  /** The moments since the start. */
  stop(): Moments {
    clearInterval(this.#timer);
    return {cpu: this.#cpu, perSecond: this.#perSecond};
  }

  #sample(): {at: number; cpu: number; requests: number} {
    return {at: performance.now(), cpu: cpuTime(), requests: this.#requests};
  }
}

/** CPU time of this process since its start, in microseconds. */
export function cpuTime(): number {
  const {user, system} = process.cpuUsage();
  return user + system;
}

/** Short enough for a report that is committed. */
function rounded(value: number, step: number): number {
  return Number((Math.round(value / step) * step).toFixed(2));
}
