/**
 * Plays many hostile scripts: `node tooling/hostile/test/rpc/hostileRun.ts [scripts] [first seed] [fetch|node]`. Prints the number of requests
 * per fault.
 */
import { Payload } from "@daybook/harness"
import * as NodeFetch from "@daybook/transport/NodeFetch"
import { format, runAll } from "./hostile.ts"

const [count = "12000", first = "0", platform = "fetch"] = process.argv.slice(2)
const started = performance.now()
Payload.gzipBomb("")
const fetch = NodeFetch.makeUnsafe()
const seeds = Array.from({ length: Number(count) }, (_, at) => Number(first) + at)
const { issues, histogram, requests, calls, ends } = await (platform === "node"
  ? runAll(seeds, 24, fetch)
  : runAll(seeds, 24))
await fetch.close()
console.log(format(histogram))
console.log([...ends].map(([outcome, times]) => `${outcome} ${times}`).join(", "))
console.log(
  `${count} scripts, ${calls} calls, ${requests} requests in ${((performance.now() - started) / 1000).toFixed(1)} s; ${issues.length} issues`,
)
for (const issue of issues.slice(0, 40)) console.log(issue)
const rare = histogram.filter(([, times]) => Number(count) >= 10_000 && times < 100)
for (const [name, times] of rare) console.log(`${name} was results only ${times} times`)
process.exitCode = issues.length + rare.length === 0 ? 0 : 1
