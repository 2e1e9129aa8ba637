import {inspect} from 'node:util';
import {simulated} from './timeline.ts';
import {type Coincidence, reachedBy, type Step} from './reached.ts';
import {judge} from './judges/judge.ts';
import {type Action, onEngine, type Plan} from './plan.ts';
import {Abandoned} from './schedules/schedule.ts';
import type {Setting} from './world.ts';
import {Story} from './story.ts';

/** The result of a run. */
export interface Outcome {
  /** The promises that were broken. */
  readonly problems: readonly string[];
  /** The requests that succeeded. */
  readonly succeeded: ReadonlySet<Action['do']>;
  /** Whether a process has died. */
  readonly hasDeaths: boolean;
  /** What has coincided, if the server is our picture of one. */
  readonly reached: () => ReadonlySet<Coincidence>;
  /** Everything that happened, a line for each event. */
  readonly trace: () => string;
}

/** Runs a plan in simulated time and judges it. */
export async function run(plan: Plan, setting: Setting = {}): Promise<Outcome> {
  await setting.engine?.empty();
  const story = new Story(setting.engine ? onEngine(plan) : plan, setting);
  const {timeline} = story.world;
  return simulated(timeline, async () => {
    let steps: readonly Step[] = [];
    const problems = await story
      .run()
      .then(() => {
        steps = timeline.steps.slice();
        return judge(story);
      })
      .catch((error: unknown) => {
        if (error instanceof Abandoned) throw error;
        return [inspect(error)];
      });
    const succeeded = story.seen.filter(({code}) => code === 200 || code === 302).map((each) => each.do);
    return {
      problems,
      succeeded: new Set(succeeded),
      hasDeaths: story.world.hasDeaths,
      reached: () => reachedBy(steps, story.seen),
      trace: () => timeline.trace,
    };
  });
}
