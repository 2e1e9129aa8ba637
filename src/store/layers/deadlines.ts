import {isThenable} from '../../values/callback.ts';
import type {Answer} from '../driver.ts';
import {Deadline} from '../failing/deadline.ts';

/** Asks the driver, whose answer comes without a promise if the engine is in the process. */
export type Call = <Result>(question: (deadline: Deadline) => Answer<Result>) => Answer<Result>;

/** Gives each call a deadline. */
export function withDeadlines(timeout: number): Call {
  return (question) => {
    const deadline = new Deadline(timeout);
    const answer = question(deadline);
    return isThenable(answer) ? deadline.bound(answer) : answer;
  };
}
