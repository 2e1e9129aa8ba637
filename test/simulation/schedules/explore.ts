import {Abandoned, areDependent, Schedule, type Touch} from './schedule.ts';

/** A moment at which one of several steps is the next. */
interface Choice {
  readonly waiting: readonly Touch[];
  /** What need not be chosen here, because a schedule with the same effect has been run. */
  readonly sleeping: Set<string>;
  /** What has to be chosen here once, because its order against a later step matters. */
  readonly wanted: Set<string>;
  chosen: Touch;
  /** The earlier choices that must come before the chosen step. */
  after: ReadonlySet<number>;
}

export interface Explored {
  /** The schedules that were run to their end. */
  readonly schedules: number;
  /** The schedules that were left, because they began to do what another one had done. */
  readonly abandoned: number;
  /** The broken promises of the first schedule that breaks one; empty if none does. */
  readonly problems: readonly string[];
  /** The steps of that schedule. */
  readonly steps: readonly string[];
  /** `p1 in p2` if in some schedule a step of the first process came between two steps of the second one. */
  readonly between: ReadonlySet<string>;
}

export interface Bounds {
  /** Leaves out schedules that change more often from a process that could go on to another one. */
  readonly maxSwitches?: number;
}

/**
 * Runs `story` with every order of its processes' commands that can make a difference, and stops at the first broken
 * promise. Steps that touch different keys, or only read, are not reordered (dynamic partial-order reduction with sleep sets).
 */
export async function explore(
  story: (schedule: Schedule) => Promise<readonly string[]>,
  {maxSwitches = Infinity}: Bounds = {},
): Promise<Explored> {
  const choices: Choice[] = [];
  let schedules = 0;
  let abandoned = 0;
  const between = new Set<string>();
  do {
    let depth = 0;
    const schedule = new Schedule((waiting) => {
      const choice = choices[depth] ?? choose(choices, waiting, maxSwitches);
      if (choice === undefined) throw new Abandoned();
      if (depth === choices.length) choices.push(choice);
      const chosen = waiting.find(({id}) => id === choice.chosen.id);
      if (chosen === undefined) throw new Error(`A run is not repeated: ${choice.chosen.id} does not wait`);
      choice.chosen = chosen;
      if (depth === choices.length - 1) findRaces(choices);
      depth += 1;
      return chosen;
    });
    let problems: readonly string[] = [];
    try {
      problems = await story(schedule);
      schedules += 1;
      addBetween(between, choices);
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      abandoned += 1;
    }
    const steps = problems.length > 0 ? choices.map(({chosen}) => chosen.id) : [];
    if (problems.length > 0) return {schedules, abandoned, problems, steps, between};
  } while (advance(choices, maxSwitches));
  return {schedules, abandoned, problems: [], steps: [], between};
}

function addBetween(between: Set<string>, choices: readonly Choice[]): void {
  const order = choices.map(({chosen}) => chosen.process);
  for (const outer of new Set(order)) {
    for (const inner of order.slice(order.indexOf(outer), order.lastIndexOf(outer))) {
      if (inner !== outer) between.add(`${inner} in ${outer}`);
    }
  }
}

/** The choice after the last one; undefined if all that could be chosen sleeps. */
function choose(choices: readonly Choice[], waiting: readonly Touch[], maxSwitches: number): Choice | undefined {
  const before = choices.at(-1);
  const sleeping = new Set<string>();
  for (const touch of waiting)
    if (before?.sleeping.has(touch.id) && !areDependent(touch, before.chosen)) sleeping.add(touch.id);
  const chosen = allowed(choices, waiting, maxSwitches).find(({id}) => !sleeping.has(id));
  return chosen && {waiting, sleeping, wanted: new Set([chosen.id]), chosen, after: new Set()};
}

/** What may be chosen after the choices, first what the process of the last one does. */
function allowed(choices: readonly Choice[], waiting: readonly Touch[], maxSwitches: number): readonly Touch[] {
  const process = choices.at(-1)?.chosen.process;
  const goesOn = waiting.filter((touch) => touch.process === process);
  if (goesOn.length > 0 && maxSwitches < Infinity && switchesOf(choices) >= maxSwitches) return goesOn;
  return [...goesOn, ...waiting.filter((touch) => touch.process !== process)];
}

/** How often another process was chosen although the one before could go on. */
function switchesOf(choices: readonly Choice[]): number {
  return choices.filter(({chosen, waiting}, index) => {
    const process = choices[index - 1]?.chosen.process;
    return process !== chosen.process && waiting.some((touch) => touch.process === process);
  }).length;
}

/** Asks each earlier choice whose order against the last one matters, and could be another, to be made the other way too. */
function findRaces(choices: readonly Choice[]): void {
  const last = choices.at(-1);
  if (last === undefined) return;
  const {chosen} = last;
  const end = choices.length - 1;
  // What its process had done when it sent the command.
  const cause = new Set<number>();
  for (let index = 0; index < chosen.sent; index += 1) {
    const earlier = choices[index];
    if (earlier?.chosen.process === chosen.process) addAll(cause, index, earlier.after);
  }
  const after = new Set(cause);
  for (let index = end - 1; index >= 0; index -= 1) {
    const earlier = choices[index];
    if (earlier === undefined || !areDependent(earlier.chosen, chosen)) continue;
    if (!after.has(index)) want(choices, index, end, after);
    addAll(after, index, earlier.after);
  }
  last.after = after;
}

function addAll(set: Set<number>, index: number, more: ReadonlySet<number>): void {
  set.add(index);
  for (const each of more) set.add(each);
}

/** Wants, at the choice `index`, the step of `end` or one that leads to it. */
function want(choices: readonly Choice[], index: number, end: number, after: ReadonlySet<number>): void {
  const choice = choices[index];
  const id = choices[end]?.chosen.id;
  if (choice === undefined || id === undefined) return;
  const waiting = new Set(choice.waiting.map((touch) => touch.id));
  const leading = waiting.has(id)
    ? [id]
    : choices
        .slice(index + 1, end)
        .filter((_, offset) => after.has(index + 1 + offset))
        .map(({chosen}) => chosen.id)
        .filter((each) => waiting.has(each));
  if (leading.some((each) => choice.wanted.has(each))) return;
  for (const each of leading.length > 0 ? leading.slice(0, 1) : waiting) choice.wanted.add(each);
}

/** Goes to the next schedule; false if there is none. */
function advance(choices: Choice[], maxSwitches: number): boolean {
  for (;;) {
    const choice = choices.pop();
    if (choice === undefined) return false;
    const {sleeping, wanted, waiting} = choice;
    sleeping.add(choice.chosen.id);
    const next = allowed(choices, waiting, maxSwitches).find(({id}) => wanted.has(id) && !sleeping.has(id));
    if (next === undefined) continue;
    choices.push({...choice, chosen: next});
    return true;
  }
}
