import {utc} from '../../src/values/shape.ts';

/** Every answer ends with it. */
export const dateTime = {
  sentence: 'The time of the answer in UTC, `yyyy-mm-dd hh:mm:ss`.',
  shape: utc,
  example: '2030-01-01 12:00:00',
};
