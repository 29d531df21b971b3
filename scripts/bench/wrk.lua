-- What wrk sends and how it reports: METHOD PATH TOKEN BODY-FILE RECORDS CLOSE, given after "--".
-- A GET of a path that ends in "/" asks for the records 1 to RECORDS in turn. With CLOSE "close" each request has
-- a connection of its own.
local counter = 0
local method, path, records

function init(args)
  method, path, records = args[1], args[2], tonumber(args[5]) or 0
  wrk.method = method
  if args[3] ~= "" then wrk.headers["Authorization"] = "Bearer " .. args[3] end
  if args[6] == "close" then wrk.headers["Connection"] = "close" end
  if method == "POST" then
    wrk.headers["Content-Type"] = "application/json"
    local file = assert(io.open(args[4]))
    wrk.body = file:read("*a")
    file:close()
  end
end

function request()
  if records == 0 then return wrk.format(nil, path) end
  counter = counter % records + 1
  return wrk.format(nil, path .. counter)
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '{"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"refused":%d,"notOpened":%d,"reset":%d,"late":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect, errors.read + errors.write, errors.timeout
  ))
end
