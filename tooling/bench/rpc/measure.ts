/** Measures one RPC client in a process of its own: `node measure.ts <client> <hydrated|hashes> <one|many> <url>`. */
import { clients } from "./clients.ts"

const maxBatchSize = 20
const [name = "", shape, way, url = ""] = process.argv.slice(2)
const client = await clients[name]!(url)
const isHydrated = shape === "hydrated"
const isMany = way === "many"
const ask = () => (isMany ? client.many!(isHydrated, maxBatchSize) : client.one(isHydrated))
const perAsk = isMany ? maxBatchSize : 1

/** CPU of this process and time, for calls of so many milliseconds. */
const spend = async (millis: number) => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let calls = 0
  while (performance.now() - start < millis) {
    await ask()
    calls += perAsk
  }
  const { user, system } = process.cpuUsage(cpu)
  return { micros: (user + system) / calls, perSecond: (calls * 1000) / (performance.now() - start) }
}

const warm = process.env["DAYBOOK_BENCH_WARM"] ?? "2000"
await spend(Number(warm))
console.log(JSON.stringify(await spend(2_000)))
process.exit(0)
