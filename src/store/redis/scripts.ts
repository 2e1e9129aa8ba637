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
 * KEYS: the record of the writer's last batch, the links of the batch, and the keys of counters.
 * ARGV: the number of the batch, how many seconds it is remembered, its result, the number of links, a JSON text, and the
 * expected record of each link. The text has the kinds of additions, each a list of names and amounts, and for each key of
 * counters its kind and the time. It is one text because every argument is expensive.
 * Returns the result that is stored for the batch; nil if a link has changed. An empty result stands for the previous
 * times of the counters. Counters are a hash; \`at\` is the latest time.
 *
 * To undo an addition, its kind has negative amounts, and a third entry of the key is the time to go back to.
 *
 * Redis keeps what a script wrote before an error, such as a command to which the user has no right, and the batch is
 * sent again. So the script takes back its additions, as many as are done. What it may not remove, such as a counter of
 * 0, stays.
 */
export const countScript = script(`
local taken = redis.call('GET', KEYS[1])
if taken then
  local number, result = string.match(taken, '^(%d+) (.*)$')
  if tonumber(number) >= tonumber(ARGV[1]) then return result end
end
local links = tonumber(ARGV[4])
if links > 0 then
  for place, record in ipairs(redis.call('MGET', unpack(KEYS, 2, links + 1))) do
    if record ~= ARGV[place + 5] then return false end
  end
end
local kinds, added = unpack(cjson.decode(ARGV[5]))
local times, done = {}, 0
local function setTime(counters, at)
  if at == 0 then redis.call('HDEL', counters, 'at') else redis.call('HSET', counters, 'at', at) end
end
local function count()
  for place, addition in ipairs(added) do
    local counters, kind, at, before = KEYS[links + 1 + place], kinds[addition[1]], addition[2], addition[3]
    times[place] = redis.call('HGET', counters, 'at') or '0'
    for i = 1, #kind, 2 do
      local sum = redis.call('HINCRBY', counters, kind[i], kind[i + 1])
      done = done + 1
      if before and sum == 0 then redis.pcall('HDEL', counters, kind[i]) end
    end
    local latest = tonumber(times[place])
    if before and at == latest or not before and at > latest then setTime(counters, before or at) end
  end
  local result = ARGV[3]
  if result == '' then result = table.concat(times, ',') end
  redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. result, 'EX', ARGV[2])
  return result
end
local isCounted, result = pcall(count)
if isCounted then return result end
for place, time in ipairs(times) do
  local counters, kind = KEYS[links + 1 + place], kinds[added[place][1]]
  for i = 1, #kind, 2 do
    if done == 0 then break end
    done = done - 1
    local sum = redis.call('HINCRBY', counters, kind[i], -kind[i + 1])
    if sum == 0 then redis.pcall('HDEL', counters, kind[i]) end
  end
  pcall(setTime, counters, tonumber(time))
end
return {err = result}
`);
