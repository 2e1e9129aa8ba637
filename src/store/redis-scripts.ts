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
 * KEYS: tallies. ARGV: the writer, the number of its batch, then for each key the visits, the last visit, its day and
 * the field of that day. A tally is a hash of `visits`, `last`, for each writer `w:<writer>` with
 * `<batch>:<time of its last visit>`, and for each day `d:<place>` with `<day>:<visits>`.
 */
export const addVisitsScript = script(`
local field, batch = 'w:' .. ARGV[1], tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  local visits, last, day, place = ARGV[4 * i - 1], ARGV[4 * i], ARGV[4 * i + 1], ARGV[4 * i + 2]
  local seen = redis.call('HGET', key, field)
  if not seen or tonumber(string.match(seen, '^%d+')) < batch then
    redis.call('HINCRBY', key, 'visits', visits)
    redis.call('HSET', key, field, ARGV[2] .. ':' .. last)
    local latest = tonumber(redis.call('HGET', key, 'last') or '0')
    if tonumber(last) >= latest then
      latest = tonumber(last)
      redis.call('HSET', key, 'last', last)
    end
    local there, count = string.match(redis.call('HGET', key, place) or '', '^(%d+):(%d+)$')
    if there == day then
      redis.call('HSET', key, place, day .. ':' .. string.format('%d', count + visits))
    elseif not there or tonumber(there) < tonumber(day) then
      redis.call('HSET', key, place, day .. ':' .. visits)
    end
    if not seen and redis.call('HLEN', key) > ${writersKept + 2} then
      local all, writers, old = redis.call('HGETALL', key), 0, {}
      for j = 1, #all, 2 do
        if string.sub(all[j], 1, 2) == 'w:' then
          writers = writers + 1
          local at = tonumber(string.match(all[j + 1], ':(.+)$'))
          if all[j] ~= field and at < latest - ${writerLife} then old[#old + 1] = all[j] end
        end
      end
      if writers > ${writersKept} and #old > 0 then redis.call('HDEL', key, unpack(old)) end
    end
  end
end
return 1
`);
