import test from 'ava';
import {linesOf} from '../../../../support/tools/lines.ts';

const url = 'https://a.example/';

test('a link is out of service if any of several columns says so', async (t) => {
  const file = `slug,url,is_disabled,banned,active,enabled
on,${url},0,false,1,yes
on2,${url},,NULL,enabled,active
on3,${url},0,no,true,on
off1,${url},0,1,1,1
off2,${url},1,0,1,1
off3,${url},0,0,1,0
off4,${url},0,0,inactive,1
off5,${url},0,0,disabled,1
off6,${url},0,0,off,1
off7,${url},,,no,
off8,${url},disabled,,,
off9,${url},2024-02-29,,,
odd,${url},,,perhaps,
`;
  for (const line of await linesOf('csv', file)) {
    const {
      shortPart = '',
      isDisabled = false,
      code,
    } = line as {shortPart?: string; isDisabled?: boolean; code?: string};
    t.is(isDisabled, shortPart.startsWith('off'), shortPart);
    t.is(code, shortPart === 'odd' ? 'unreadable_status' : undefined, shortPart);
  }
  const json = [
    {shortCode: 'off', longUrl: url, disabled: 0, blocked: 1},
    {shortCode: 'on', longUrl: url, disabled: 0, enabled: 1},
    {shortCode: 'off', longUrl: url, enabled: true, active: 0},
  ];
  t.deepEqual(
    (await linesOf('shlink', JSON.stringify(json))).map((line) => 'isDisabled' in line),
    [true, false, true],
  );
});
