/** One slice of a measurement: about a second of one subject. */
export interface Slice {
  readonly perSecond: number;
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The share of time in which the load generator used its core, from 0 to 1. */
  readonly busy?: number;
  /** Round trips to the engine per request, counted by a proxy. */
  readonly trips?: number;
}

/** All slices of a subject. Slices of one round have the same index in every series of a phase. */
export interface Series {
  readonly group: 'baseline' | 'one' | 'many' | 'page' | 'create' | 'processes' | 'trip';
  readonly name: string;
  readonly slices: Slice[];
}

export interface Quartiles {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** A quantile, interpolated between the two nearest values. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export function quartiles(values: readonly number[]): Quartiles {
  return {low: quantile(values, 0.25), median: quantile(values, 0.5), high: quantile(values, 0.75)};
}

/** For each round the CPU time of the baseline divided by that of the subject: above 1 is cheaper. */
export function ratiosByCpu(subject: Series, baseline: Series): number[] {
  return subject.slices.map(({cpu}, round) => (baseline.slices[round]?.cpu ?? Number.NaN) / cpu);
}

/** For each round the rate of the subject divided by that of the baseline: above 1 is faster. */
export function ratiosByRate(subject: Series, baseline: Series): number[] {
  return subject.slices.map(({perSecond}, round) => perSecond / (baseline.slices[round]?.perSecond ?? Number.NaN));
}

/** The distance of the baseline's quartiles, as a share of the median, above which a run is noisy. */
const maxSpread = 0.15;

/**
 * Why the figures must not be published; undefined if they may be. The load before the run counts too, because figures
 * of a machine that is busy all the time vary little.
 */
export function whyNoisy(
  baseline: Series,
  {loadBefore: [load = 0], cores}: {readonly loadBefore: readonly number[]; readonly cores: number},
): string | undefined {
  if (load > cores / 2) return `the load average before the run was ${load.toFixed(2)}, more than half of the cores`;
  for (const [name, values] of [
    ['CPU time', baseline.slices.map(({cpu}) => cpu)],
    ['rate', baseline.slices.map(({perSecond}) => perSecond)],
  ] as const) {
    const {low, median, high} = quartiles(values);
    const spread = (high - low) / median;
    // Without slices the spread is NaN, which is noisy too.
    if (spread <= maxSpread) continue;
    const percent = (share: number): string => `${Math.round(share * 100)} %`;
    return `the quartiles of the baseline's ${name} are ${percent(spread)} of its median apart, more than ${percent(maxSpread)}`;
  }
  return undefined;
}
