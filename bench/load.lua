-- Asks for the paths of a file in turn and prints what came of it: wrk ... -s load.lua URL -- FILE
local requests, turn = {}, 0

function init(arguments)
  for path in io.lines(arguments[1]) do requests[#requests + 1] = wrk.format("GET", path) end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nMEASURED {"requests":%d,"microseconds":%d,"failures":%d,"p50":%d,"p99":%d,"p999":%d}\n',
    summary.requests, summary.duration,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end
