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

/** KEYS: a tally. Its fields and their values in one list, whichever protocol the client speaks. */
export const readTallyScript = script(`return redis.call('HGETALL', KEYS[1])`);

/**
 * KEYS: tallies. ARGV: the writer, the number of its batch, the field of its day, where the day starts and ends, then
 * the visits and the last visit of each key. A tally is a hash of `visits`, `last`, for each writer `w:<writer>` with
 * `<batch>:<time of its last visit>`, and `d:<place>` for each day.
 */
export const addVisitsScript = script(`
local field, batch, place, first, last = 'w:' .. ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
for i, key in ipairs(KEYS) do
  local visits, at = ARGV[4 + 2 * i], ARGV[5 + 2 * i]
  local seen = redis.call('HGET', key, field)
  if not seen or tonumber(string.match(seen, '^%d+')) < batch then
    redis.call('HINCRBY', key, 'visits', visits)
    redis.call('HSET', key, field, ARGV[2] .. ':' .. at)
    local latest = tonumber(redis.call('HGET', key, 'last') or '0')
    if tonumber(at) >= latest then
      latest = tonumber(at)
      redis.call('HSET', key, 'last', at)
    end
    local day = tonumber(redis.call('HGET', key, place) or '0')
    if day < last then
      redis.call('HSET', key, place, string.format('%.0f', math.max(day, first) + visits))
    end
    if not seen and redis.call('HLEN', key) > ${writersKept + 2} then
      local all, writers, old = redis.call('HGETALL', key), 0, {}
      for j = 1, #all, 2 do
        if string.sub(all[j], 1, 2) == 'w:' then
          writers = writers + 1
          local since = tonumber(string.match(all[j + 1], ':(.+)$'))
          if all[j] ~= field and since < latest - ${writerLife} then old[#old + 1] = all[j] end
        end
      end
      if writers > ${writersKept} and #old > 0 then redis.call('HDEL', key, unpack(old)) end
    end
  end
end
return 1
`);
