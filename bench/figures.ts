/** One slice of a measurement: about a second of one subject. */
export interface Slice {
  readonly perSecond: number;
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number;
  /** The slice of the baseline in the same round. */
  readonly baseline?: Slice;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The share of time in which the load generator used its core, from 0 to 1. */
  readonly busy?: number;
  /** Round trips to the engine per request, counted by a proxy. */
  readonly trips?: number;
}

/** All slices of a subject. */
export interface Series {
  readonly group: 'baseline' | 'one' | 'many' | 'bare page' | 'page' | 'create' | 'processes' | 'trip';
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

/** For each slice the CPU time of its baseline divided by its own: above 1 is cheaper. */
export function ratiosByCpu({slices}: Series): number[] {
  return slices.map(({cpu, baseline}) => (baseline?.cpu ?? Number.NaN) / cpu);
}

/** For each slice its rate divided by that of its baseline: above 1 is faster. */
export function ratiosByRate({slices}: Series): number[] {
  return slices.map(({perSecond, baseline}) => perSecond / (baseline?.perSecond ?? Number.NaN));
}

/** The most that a median may be off, as a share of it. Two runs then agree within a tenth, because errors add up as squares. */
const maxError = 0.07;

/** The quantile of the normal distribution for a confidence of 95 %. */
const confidence = 1.96;

/**
 * How far the median of the measured values may be from the true one, as a share of it. In 95 of 100 runs the true median
 * is between two of the sorted values, whatever their distribution.
 */
export function errorOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const distance = (confidence * Math.sqrt(sorted.length)) / 2;
  const low = sorted[Math.floor(sorted.length / 2 - distance)] ?? Number.NaN;
  const high = sorted[Math.ceil(sorted.length / 2 + distance) - 1] ?? Number.NaN;
  return (high - low) / 2 / quantile(sorted, 0.5);
}

/**
 * Why the figures must not be published; undefined if they may be. The load before the run counts too, because figures
 * of a machine that is busy all the time vary little.
 *
 * @param compared all series with a baseline
 */
export function whyNoisy(
  compared: readonly Series[],
  {loadBefore: [load = 0], cores}: {readonly loadBefore: readonly number[]; readonly cores: number},
): string | undefined {
  if (load > cores / 2) return `the load average before the run was ${load.toFixed(2)}, more than half of the cores`;
  for (const series of compared) {
    for (const [name, values] of [
      ['CPU time', ratiosByCpu(series)],
      ['rate', ratiosByRate(series)],
    ] as const) {
      const error = errorOf(values);
      // With too few slices the error is NaN, which is noisy too.
      if (error <= maxError) continue;
      const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
      return `the ratio by ${name} of "${series.group}: ${series.name}" may be off by ${percent(error)}, more than ${percent(maxError)}`;
    }
  }
  return undefined;
}
