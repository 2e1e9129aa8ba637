import {simulated} from './timeline.ts';
import {judge} from './judges/judge.ts';
import type {Plan} from './plan.ts';
import {Story} from './story.ts';

/** The result of a run. */
export interface Outcome {
  /** The promises that were broken. */
  readonly problems: readonly string[];
  /** Everything that happened, a line for each event. */
  readonly trace: () => string;
}

/** Runs a plan in simulated time and judges it. */
export async function run(plan: Plan): Promise<Outcome> {
  const story = new Story(plan);
  const {timeline} = story.world;
  return simulated(timeline, async () => {
    await story.run();
    return {problems: await judge(story), trace: () => timeline.trace};
  });
}
