import {createHash} from 'node:crypto';
import {writerLife, writersKept} from './tally.ts';

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
 * KEYS: tallies. ARGV: the writer, the number of its batch, then the visits and the last visit of each key.
 * A tally is a hash of `visits`, `last` and, for each writer, `w:<writer>` with `<batch>:<time of its last visit>`.
 */
export const addVisitsScript = script(`
local field, batch = 'w:' .. ARGV[1], tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local visits, last = ARGV[1 + 2 * i], tonumber(ARGV[2 + 2 * i])
  local seen = redis.call('HGET', key, field)
  if not seen or tonumber(string.match(seen, '^%d+')) < batch then
    redis.call('HINCRBY', key, 'visits', visits)
    redis.call('HSET', key, field, ARGV[2] .. ':' .. ARGV[2 + 2 * i])
    local latest = tonumber(redis.call('HGET', key, 'last') or '0')
    if last >= latest then
      latest = last
      redis.call('HSET', key, 'last', ARGV[2 + 2 * i])
    end
    if redis.call('HLEN', key) > ${writersKept + 2} then
      local all = redis.call('HGETALL', key)
      for j = 1, #all, 2 do
        local at = string.match(all[j + 1], '^%d+:(.+)$')
        if at and all[j] ~= field and tonumber(at) < latest - ${writerLife} then redis.call('HDEL', key, all[j]) end
      end
    end
  end
end
return 1
`);
