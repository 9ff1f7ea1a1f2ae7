/**
 * Measures one RPC client in its own process: `node measure.ts <client> <hydrated|hashes> <single|batch> <url> <root of the checkout>
 * <milliseconds>` prints one line of JSON. The warm-up takes half as long again.
 */
import { clients } from "./Clients.ts"

/** Cost of one call of an RPC client, and the number of transactions in the blocks that it received. */
export interface Measured {
  /** CPU time per call, user and system, in microseconds. */
  readonly micros: number
  readonly perSecond: number
  readonly transactions: number
}

const callsPerBatch = 20
const [name = "", shape, mode, url = "", root = "", millis = "1000"] = process.argv.slice(2)
const client = await clients[name]!(url, root)
const isHydrated = shape === "hydrated"
const calls = mode === "batch" ? callsPerBatch : 1
const send = async (): Promise<ReadonlyArray<unknown>> =>
  mode === "batch" ? await client.batch!(isHydrated, calls) : [await client.single(isHydrated)]

/** Sends calls for a number of milliseconds. */
const measure = async (duration: number): Promise<Omit<Measured, "transactions">> => {
  const cpu = process.cpuUsage()
  const start = performance.now()
  let sent = 0
  while (performance.now() - start < duration) {
    await send()
    sent += calls
  }
  const { user, system } = process.cpuUsage(cpu)
  return { micros: (user + system) / sent, perSecond: (sent * 1000) / (performance.now() - start) }
}

interface Block {
  readonly transactions: ReadonlyArray<unknown>
}

/** The received blocks: a client without a library has them in a response. */
const blocks = (await send()).map((one) => one as Block & { readonly result?: Block })
const transactions = blocks.reduce((sum, block) => sum + (block.result ?? block).transactions.length, 0)
await measure(Number(millis) * 1.5)
const measured: Measured = { ...(await measure(Number(millis))), transactions }
console.log(JSON.stringify(measured))
process.exit(0)
