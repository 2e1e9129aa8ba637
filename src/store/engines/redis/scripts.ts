import {planted} from '../../../planted.ts';
import {createHash} from 'node:crypto';

/** A Lua script and the name under which Redis remembers it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

/**
 * Every script writes, and its first argument is its deadline by the clock of the server, in milliseconds; empty if that
 * clock cannot be read. A network may deliver a command late, after its caller got an error and another one has written.
 */
function script(text: string): Script {
  const guarded = `
if ARGV[1] ~= '' then
  local time = redis.call('TIME')
  if time[1] * 1000 + time[2] / 1000 > tonumber(ARGV[1]) then
    return redis.error_reply('EXPIRED The command arrived after its deadline')
  end
end
${text.trimStart()}`;
  return {text: guarded, digest: createHash('sha1').update(guarded).digest('hex')};
}

/** KEYS: the key. ARGV: a command and its arguments behind the key. Returns the reply to the command. */
export const writeScript = script('return redis.call(ARGV[2], KEYS[1], unpack(ARGV, 3))');

/**
 * KEYS: the record. ARGV: the expected value, the new value and options of `SET`. Without a new value the record is
 * removed. Returns 1 if it was as expected.
 */
export const replaceScript = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
if ARGV[3] then redis.call('SET', KEYS[1], unpack(ARGV, 3)) else redis.call('DEL', KEYS[1]) end
return 1
`);

/** Between the records of a batch. JSON and packed texts have no control characters. */
export const separator = '\x1f';

/**
 * KEYS: the record of the writer's last batch, the links of the batch, and the keys of counters.
 * ARGV: the number of the batch, how many seconds it is remembered, its result, the number of links, their expected records
 * as one text, and a JSON text with the increments, each a list of names and amounts, and for the keys of counters, in
 * their order, lists of the index of an increment, a time, and how many of the next keys have both. There are two texts
 * because every argument is expensive. Amounts and times are texts in it, because Redis takes long to make a command's
 * argument of a number in Lua.
 * Returns the result that is stored for the batch; nil if a link has changed. Counters are a hash; \`at\` is the latest
 * time.
 *
 * Redis keeps what a script wrote before an error, such as a command to which the user has no right, and the batch is
 * sent again. So the script undoes the additions that it has made. Anything that it may not remove, such as a counter of
 * 0, stays.
 */
export const countScript = script(`
local taken = redis.call('GET', KEYS[1])
if taken then
  local number, result = string.match(taken, '^(%d+) (.*)$')
  if tonumber(number) >= tonumber(ARGV[2]) then return result end
end
local links = tonumber(ARGV[5])
if links > 0 then
  local records = redis.call('MGET', unpack(KEYS, 2, links + 1))
  for _, record in ipairs(records) do
    if not record then return false end
  end
  if table.concat(records, '\\31') ~= ARGV[6] then return false end
end
local increments, runs = unpack(cjson.decode(ARGV[7]))
local added, times, done = {}, {}, 0
for _, run in ipairs(runs) do
  for _ = 1, run[3] do added[#added + 1] = run end
end
local function count()
  for index, run in ipairs(added) do
    local counters, increment, at = KEYS[links + 1 + index], increments[run[1]], run[2]
    times[index] = redis.call('HGET', counters, 'at')
    for i = 1, #increment, 2 do
      redis.call('HINCRBY', counters, increment[i], increment[i + 1])
      done = done + 1
    end
    if tonumber(at) > (tonumber(times[index]) or 0) then redis.call('HSET', counters, 'at', at) end
  end
  redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[4]${planted('redis-batch-kept') ? '' : ", 'EX', ARGV[3]"})
end
local isCounted, reason = pcall(count)
if isCounted then return ARGV[4] end
for index, time in ipairs(times) do
  local counters, increment = KEYS[links + 1 + index], increments[added[index][1]]
  for i = 1, #increment, 2 do
    if done == 0 then break end
    done = done - 1
    local sum = redis.call('HINCRBY', counters, increment[i], '-' .. increment[i + 1])
    if sum == 0 then redis.pcall('HDEL', counters, increment[i]) end
  end
  if time then redis.pcall('HSET', counters, 'at', time) else redis.pcall('HDEL', counters, 'at') end
end
return {err = reason}
`);
