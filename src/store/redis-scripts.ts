import {createHash} from 'node:crypto';

/** A Lua script and the name under which Redis remembers it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

function script(text: string): Script {
  return {text, digest: createHash('sha1').update(text).digest('hex')};
}

/** KEYS: the record. ARGV: what it must be, what it becomes. 1 if it was replaced. */
export const replaceScript = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
`);

/**
 * KEYS: the record of the writer's last batch; then for each addition its link, if it has one, and its counters.
 * ARGV: the number of the batch, for how many seconds it is remembered; then for each addition: 1 if it has a link or 0,
 * what the link must be, how many keys of counters, the time, and for each key how many names, and each name with what
 * to add. What several additions add to one counter is added up first, because a command costs more than a sum.
 * Returns a 1 for each addition that was counted and a 0 for each other. Counters are a hash; \`at\` is the latest time.
 */
export const countScript = script(`
local taken = redis.call('GET', KEYS[1])
if taken then
  local number, counted = string.match(taken, '^(%d+) (.*)$')
  if tonumber(number) >= tonumber(ARGV[1]) then return counted end
end
local counted, sums, times, key, arg = {}, {}, {}, 2, 3
while ARGV[arg] do
  local hasLink, record, keys, at = unpack(ARGV, arg, arg + 3)
  local isCounted = true
  if hasLink == '1' then
    isCounted = redis.call('GET', KEYS[key]) == record
    key = key + 1
  end
  arg = arg + 4
  for _ = 1, tonumber(keys) do
    local last = arg + 2 * ARGV[arg]
    if isCounted then
      local counters = KEYS[key]
      local sum = sums[counters] or {}
      for i = arg + 1, last, 2 do sum[ARGV[i]] = (sum[ARGV[i]] or 0) + ARGV[i + 1] end
      sums[counters], times[counters] = sum, math.max(times[counters] or 0, at)
    end
    key, arg = key + 1, last + 1
  end
  counted[#counted + 1] = isCounted and '1' or '0'
end
for counters, sum in pairs(sums) do
  for name, n in pairs(sum) do redis.call('HINCRBY', counters, name, n) end
  local at = times[counters]
  if at > tonumber(redis.call('HGET', counters, 'at') or '0') then redis.call('HSET', counters, 'at', at) end
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. table.concat(counted), 'EX', ARGV[2])
return table.concat(counted)
`);
