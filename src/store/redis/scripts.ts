import {createHash} from 'node:crypto';

/** A Lua script and the name under which Redis remembers it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

function script(text: string): Script {
  return {text, digest: createHash('sha1').update(text).digest('hex')};
}

/** KEYS: the record. ARGV: the expected value, the new value. Returns 1 if it was replaced. */
export const replaceScript = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
`);

/**
 * KEYS: the record of the writer's last batch; then for each addition its link, if it has one, and its counters.
 * ARGV: the number of the batch, how many seconds it is remembered, a JSON text, and the expected record of each link.
 * The text has the kinds of additions, and for each addition: 1 if it has a link or 0, the time, and the kind for each of
 * its counters. It is one text because every argument is expensive. Additions to the same counter are summed up first,
 * because a command is more expensive than a sum.
 * Returns a 1 for each addition that was counted and a 0 for each other. Counters are a hash; \`at\` is the latest time.
 */
export const countScript = script(`
local taken = redis.call('GET', KEYS[1])
if taken then
  local number, counted = string.match(taken, '^(%d+) (.*)$')
  if tonumber(number) >= tonumber(ARGV[1]) then return counted end
end
local kinds, additions = unpack(cjson.decode(ARGV[3]))
local counted, sums, times, key, record = {}, {}, {}, 2, 4
for place, addition in ipairs(additions) do
  local isCounted = true
  if addition[1] == 1 then
    isCounted = redis.call('GET', KEYS[key]) == ARGV[record]
    key, record = key + 1, record + 1
  end
  for i = 3, #addition do
    if isCounted then
      local counters = KEYS[key]
      local sum = sums[counters] or {}
      for name, n in pairs(kinds[addition[i]]) do sum[name] = (sum[name] or 0) + n end
      sums[counters], times[counters] = sum, math.max(times[counters] or 0, addition[2])
    end
    key = key + 1
  end
  counted[place] = isCounted and '1' or '0'
end
for counters, sum in pairs(sums) do
  for name, n in pairs(sum) do redis.call('HINCRBY', counters, name, n) end
  local at = times[counters]
  if at > tonumber(redis.call('HGET', counters, 'at') or '0') then redis.call('HSET', counters, 'at', at) end
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. table.concat(counted), 'EX', ARGV[2])
return table.concat(counted)
`);
