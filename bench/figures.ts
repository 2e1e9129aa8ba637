/**
 * What was sampled in the moments of a slice: short times, such as 50 ms. On a rented machine other tenants come and go
 * on the same processor, so that the same work takes up to twice the CPU time. Between the halves of a run, medians of
 * moments differed by 5 % on average and medians of slices by 8 to 9 %.
 */
export interface Moments {
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: readonly number[];
  readonly perSecond: readonly number[];
}

/** One slice of a measurement: about a second of one subject. */
export interface Slice {
  readonly perSecond: number;
  /** CPU time of the server per request, in microseconds. */
  readonly cpu: number;
  /** The moments, if one server was measured alone. */
  readonly moments?: Moments;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Round trips to the engine per request, counted by a proxy. */
  readonly trips?: number;
}

/** All slices of a subject. */
export interface Series {
  readonly group: 'baseline' | 'one' | 'many' | 'bare page' | 'page' | 'create' | 'processes' | 'trip';
  readonly name: string;
  readonly slices: Slice[];
}

/** A subject and what it is compared with. They have slices in the same rounds. */
export interface Comparison {
  readonly subject: Series;
  readonly baseline: Series;
}

/** A figure with its quartiles. */
export interface Figure {
  readonly low: number;
  readonly value: number;
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

/** The median with the quartiles. */
export function quartiles(values: readonly number[]): Figure {
  return {low: quantile(values, 0.25), value: quantile(values, 0.5), high: quantile(values, 0.75)};
}

/** CPU times per request in the moments of a series. */
export function cpuOf(slices: readonly Slice[]): number[] {
  return slices.flatMap(({moments}) => moments?.cpu ?? []);
}

/** Requests per second in the moments of a series. */
export function rateOf(slices: readonly Slice[]): number[] {
  return slices.flatMap(({moments}) => moments?.perSecond ?? []);
}

type Ratio = (subject: readonly Slice[], baseline: readonly Slice[]) => number;

/** Above 1, the subject is cheaper than its baseline. */
const byCpu: Ratio = (subject, baseline) => quantile(cpuOf(baseline), 0.5) / quantile(cpuOf(subject), 0.5);

/** Above 1, the subject is faster than its baseline. */
const byRate: Ratio = (subject, baseline) => quantile(rateOf(subject), 0.5) / quantile(rateOf(baseline), 0.5);

/** The ratio in some of the rounds. */
function ratioIn({subject, baseline}: Comparison, ratio: Ratio, isIncluded: (round: number) => boolean): number {
  const some = ({slices}: Series): Slice[] => slices.filter((_, round) => isIncluded(round));
  return ratio(some(subject), some(baseline));
}

/** How many parts, one after the other, show how a ratio changes during a run. */
const parts = 6;

function ratioOf(comparison: Comparison, ratio: Ratio): Figure {
  const rounds = comparison.subject.slices.length;
  // A quick look may have fewer rounds.
  const count = Math.min(parts, rounds);
  const size = Math.ceil(rounds / count);
  const ratios = Array.from({length: count}, (_, part) =>
    ratioIn(comparison, ratio, (round) => Math.floor(round / size) === part),
  );
  return {...quartiles(ratios), value: ratioIn(comparison, ratio, () => true)};
}

/** The ratio by CPU time of the whole run, with the quartiles of those of its parts. */
export function ratioByCpu(comparison: Comparison): Figure {
  return ratioOf(comparison, byCpu);
}

/** The same for the rate. */
export function ratioByRate(comparison: Comparison): Figure {
  return ratioOf(comparison, byRate);
}

/** How far two runs are apart in one ratio, as a share of it. */
interface Difference {
  readonly ratio: string;
  readonly share: number;
}

/** The differences between the odd and the even rounds, which are two short runs on the same machine at the same time. */
export function differences(comparisons: readonly Comparison[]): Difference[] {
  return comparisons.flatMap((comparison) => {
    const {group, name: subject} = comparison.subject;
    const between = (name: string, ratio: Ratio): Difference => {
      const odd = ratioIn(comparison, ratio, (round) => round % 2 === 1);
      const even = ratioIn(comparison, ratio, (round) => round % 2 === 0);
      return {ratio: `${name} of "${group}: ${subject}"`, share: Math.abs(odd - even) / Math.min(odd, even)};
    };
    return [between('by CPU time', byCpu), between('by rate', byRate)];
  });
}

/**
 * The most by which the odd and the even rounds may differ, as a share. Half of a run is off by √2 times as much as a
 * whole one, so two whole runs agree within a tenth then.
 */
const maxDifference = 0.14;

/**
 * Why the figures must not be published; undefined if they may be. The load before the run counts too, because figures
 * of a machine that is busy all the time vary little.
 */
export function whyNoisy(
  comparisons: readonly Comparison[],
  {loadBefore: [load = 0], cores}: {readonly loadBefore: readonly number[]; readonly cores: number},
): string | undefined {
  if (load > cores / 2) return `the load average before the run was ${load.toFixed(2)}, more than half of the cores`;
  // Without enough rounds the difference is NaN, which is noisy too.
  const noisy = differences(comparisons).find(({share}) => !(share <= maxDifference));
  if (noisy === undefined) return undefined;
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return `the ratio ${noisy.ratio} differs by ${percent(noisy.share)} between the odd and the even rounds, more than ${percent(maxDifference)}`;
}
