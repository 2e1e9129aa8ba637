import {Tally} from '../../src/tools/content/content.ts';
import {ndjsonOf} from '../../src/tools/export/export.ts';
import {collect} from '../support/collect.ts';
import type {Engine} from './engines/engine.ts';
import type {Action, Plan} from './plan.ts';
import {questionNames} from './questions.ts';
import {Schedule} from './schedules/schedule.ts';
import {Story} from './story.ts';
import type {Seen} from './seen.ts';
import {simulated} from './timeline.ts';

/** What a sequence of requests was answered, and what it has left. */
export interface Told {
  /** The answer to each request, and in the end the lines of an export, in an order that is the same on every engine. */
  readonly lines: readonly string[];
  /** The questions that were answered with success. */
  readonly answered: ReadonlySet<string>;
  /** Failures that no promise allows, and requests that did not end. */
  readonly faults: readonly string[];
}

/** Not the last line of an export, which has only numbers. */
const isContent = (line: string): boolean => !line.startsWith('{"end":');

const calm: Action = {do: 'visit', pause: 0, process: 0, account: 0, link: 0, variant: 0, luck: 0};

/** Something of which the questions in the end have something to tell. */
const something: readonly Action[] = [
  {...calm, do: 'unblock'},
  ...[0, 1, 2].map((link): Action => ({...calm, do: 'remove', link})),
  ...[6, 7, 2].map((each, link): Action => ({...calm, do: 'create', link, variant: each})),
  ...[0, 1, 1, 2].map((link, each): Action => ({...calm, link, account: each})),
  ...[0, 1, 9].map((each): Action => ({...calm, do: 'convert', link: 1, variant: each})),
  {...calm, do: 'identify', link: 1},
  {...calm, do: 'refund', variant: 1},
];

/** Makes the requests of a plan one after the other, and then asks everything that can be asked. */
export async function tell(plan: Plan, engine?: Engine): Promise<Told> {
  await engine?.empty();
  // No command takes time, so that the clock shows the same however many an engine needs.
  const schedule = new Schedule(([first]) => {
    if (first === undefined) throw new RangeError('Nothing waits');
    return first;
  });
  schedule.isOpen = true;
  schedule.isInProcess = true;
  const asked = questionNames.map((_, variant): Action => {
    return {...calm, do: 'ask', link: variant % 3, variant};
  });
  const story = new Story({...plan, clients: [[...plan.clients.flat(), ...something, ...asked]]}, {schedule, engine});
  const {world, seen} = story;
  return simulated(world.timeline, async () => {
    await story.run();
    schedule.isOpen = true;
    const site = world.site(0);
    const parts = await world.calmly(site, () =>
      collect(ndjsonOf({store: site.store, account: undefined, tally: new Tally(), onProgress: () => undefined})),
    );
    // An answer of the API has its own code.
    const codeOf = ({code, answer}: Seen): number | undefined => (answer as {code?: number} | undefined)?.code ?? code;
    const succeeded = seen.filter((each) => codeOf(each) === 200);
    return {
      lines: [...seen.map((each) => JSON.stringify(each)), ...parts.join('').split('\n').filter(isContent).sort()],
      answered: new Set(succeeded.flatMap(({question}) => question ?? [])),
      faults: [...world.faults, ...Array.from(story.unfinished, (action) => `${JSON.stringify(action)} did not end`)],
    };
  });
}
