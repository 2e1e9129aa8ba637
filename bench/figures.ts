/** One slice of a measurement: about a second of one subject. */
export interface Slice {
  readonly perSecond: number;
  /** CPU time of the server for each request, in microseconds. */
  readonly cpu: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The share of the time in which the load generator used its core. */
  readonly busy?: number;
  /** Round trips to the engine for each request, as a proxy counted them. */
  readonly trips?: number;
}

/** A subject with all its slices; the slices of one round have the same index in every series of a phase. */
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

/** The value below which the share of the values lies, interpolated between the two nearest. */
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

/** How often the CPU time of the subject goes into that of the yardstick, in each round: above 1 is cheaper. */
export function ratiosByCpu(subject: Series, yardstick: Series): number[] {
  return subject.slices.map(({cpu}, round) => (yardstick.slices[round]?.cpu ?? Number.NaN) / cpu);
}

/** The rate of the subject over that of the yardstick, in each round: above 1 is faster. */
export function ratiosByRate(subject: Series, yardstick: Series): number[] {
  return subject.slices.map(({perSecond}, round) => perSecond / (yardstick.slices[round]?.perSecond ?? Number.NaN));
}

/** How far the quartiles of the baseline may be apart, as a share of the median. */
const steady = 0.15;

/** Why the figures must not be published, or undefined. A machine that is busy all the time varies little, so its load counts too. */
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
    // Not a number without a slice.
    if (spread <= steady) continue;
    const percent = (share: number): string => `${Math.round(share * 100)} %`;
    return `the quartiles of the baseline's ${name} are ${percent(spread)} of its median apart, more than ${percent(steady)}`;
  }
  return undefined;
}
