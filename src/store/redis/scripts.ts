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
 * Returns the result that is stored for the batch; nil if a link has changed. Counters are a hash; \`at\` is the latest
 * time.
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
for place, addition in ipairs(added) do
  local counters, kind, at = KEYS[links + 1 + place], kinds[addition[1]], addition[2]
  for i = 1, #kind, 2 do redis.call('HINCRBY', counters, kind[i], kind[i + 1]) end
  if at > tonumber(redis.call('HGET', counters, 'at') or '0') then redis.call('HSET', counters, 'at', at) end
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[3], 'EX', ARGV[2])
return ARGV[3]
`);
