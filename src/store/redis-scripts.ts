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
 * what the link must be, how many keys of counters, the time, how many names, and each name with what to add.
 * Returns a 1 for each addition that was counted and a 0 for each other. Counters are a hash; \`at\` is the latest time.
 */
export const countScript = script(`
local taken = redis.call('GET', KEYS[1])
if taken then
  local number, counted = string.match(taken, '^(%d+) (.*)$')
  if tonumber(number) >= tonumber(ARGV[1]) then return counted end
end
local counted, key, arg = {}, 2, 3
while ARGV[arg] do
  local hasLink, record, keys, at, names = unpack(ARGV, arg, arg + 4)
  local isCounted = true
  if hasLink == '1' then
    isCounted = redis.call('GET', KEYS[key]) == record
    key = key + 1
  end
  arg = arg + 5
  for _ = 1, tonumber(keys) do
    if isCounted then
      for i = arg, arg + 2 * names - 1, 2 do redis.call('HINCRBY', KEYS[key], ARGV[i], ARGV[i + 1]) end
      if tonumber(at) > tonumber(redis.call('HGET', KEYS[key], 'at') or '0') then redis.call('HSET', KEYS[key], 'at', at) end
    end
    key = key + 1
  end
  arg = arg + 2 * names
  counted[#counted + 1] = isCounted and '1' or '0'
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. table.concat(counted), 'EX', ARGV[2])
return table.concat(counted)
`);
