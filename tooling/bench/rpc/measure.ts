/**
 * Measures one RPC client in a process of its own: `node measure.ts <client> <hydrated|hashes> <single|batch> <url>` prints one line
 * of JSON. DAYBOOK_BENCH_WARM is the warm-up in milliseconds, by default 2000.
 */
import { clients } from "./Clients.ts"
import type { Usage } from "./Usage.ts"

const callsPerBatch = 20
const [name = "", shape, mode, url = ""] = process.argv.slice(2)
const client = await clients[name]!(url)
const isHydrated = shape === "hydrated"
const calls = mode === "batch" ? callsPerBatch : 1
const send = () => (mode === "batch" ? client.batch!(isHydrated, calls) : client.single(isHydrated))

/** Sends calls for some milliseconds. */
const measure = async (millis: number): Promise<Usage> => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let sent = 0
  while (performance.now() - start < millis) {
    await send()
    sent += calls
  }
  const { user, system } = process.cpuUsage(cpu)
  return { micros: (user + system) / sent, perSecond: (sent * 1000) / (performance.now() - start) }
}

await measure(Number(process.env["DAYBOOK_BENCH_WARM"] ?? "2000"))
console.log(JSON.stringify(await measure(2_000)))
process.exit(0)
