import {type Outcome, run} from './run.ts';
import {type Plan, plans} from './plan.ts';
import type {Engine} from './engines/engine.ts';
import fc from 'fast-check';

export interface SearchOptions {
  readonly seed: number;
  /** How many plans to run. */
  readonly runs: number;
  /** Where a plan that failed is among those of the seed; undefined to run all. */
  readonly path?: string | undefined;
  /** Whether a plan that failed is made as small as possible; by default it is. */
  readonly shrinks?: boolean;
  /** By default our picture of one. */
  readonly engine?: Engine | undefined;
  /** Called with the result of each run. */
  readonly onRun?: (outcome: Outcome) => void;
}

/** A plan that breaks a promise. */
export interface Failure {
  readonly plan: Plan;
  readonly problems: readonly string[];
  readonly seed: number;
  readonly path: string;
  readonly engine: Engine | undefined;
}

/** Runs plans until one breaks a promise. */
export async function search({
  seed,
  runs,
  path,
  shrinks = true,
  engine,
  onRun,
}: SearchOptions): Promise<Failure | undefined> {
  let problems: readonly string[] = [];
  const property = fc.asyncProperty(plans, async (plan) => {
    const outcome = await run(plan, {engine});
    onRun?.(outcome);
    if (outcome.problems.length > 0) problems = outcome.problems;
    return outcome.problems.length === 0;
  });
  const result = await fc.check(property, {
    seed,
    numRuns: runs,
    endOnFailure: !shrinks,
    ...(path !== undefined && {path}),
  });
  const [plan] = result.counterexample ?? [];
  if (plan === undefined) return undefined;
  return {plan, problems, seed, path: result.counterexamplePath ?? '', engine};
}

/** What people need of a failure. */
export function report({plan, problems, seed, path, engine}: Failure): string {
  return [
    ...problems,
    JSON.stringify(plan, undefined, 1),
    `Repeat it with SIMULATION_SEED=${seed} SIMULATION_PATH=${path} npm run simulate${engine ? ` -- --engine ${engine.name}` : ''}`,
  ].join('\n');
}
