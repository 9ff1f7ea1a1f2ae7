/** Calls each attack of a hostile server with the RPC client in a separate process, and reports the outcome of each call. */
import { inspect } from "node:util"
import { createRpcClient } from "@daybook/rpc/promise"

/** Outcome of a call. */
export interface Ended {
  readonly attack: string
  /** `value`, or the tag of the error. */
  readonly outcome: string
  readonly millis: number
  /** True if the API key is in any printable property. */
  readonly showsKey: boolean
  /** Length of the longest text of the error. */
  readonly longest: number
  readonly mebibytes: number
}

const { attacks, key, url } = JSON.parse(process.argv[2]!) as {
  readonly attacks: ReadonlyArray<string>
  readonly key: string
  readonly url: string
}

/** Peak resident memory so far, in MiB. */
const peak = (): number => process.resourceUsage().maxRSS / 1024

const callOf = async (attack: string): Promise<unknown> => {
  const client = createRpcClient({
    url: `${url}/${encodeURIComponent(attack)}/${key}`,
    timeout: 5_000,
    retry: { maxAttempts: 2 },
  })
  if (attack.startsWith("batch")) {
    const hash = `0x${"11".repeat(32)}` as const
    return await Promise.all([client.eth_blockNumber(), client.eth_gasPrice(), client.eth_getTransactionByHash(hash)])
  }
  if (attack.startsWith("logs")) return await client.eth_getLogs({})
  if (attack.startsWith("block")) return await client.eth_getBlockByNumber(1, true)
  return await client.eth_blockNumber()
}

const endOf = async (attack: string): Promise<Ended> => {
  const startedAt = performance.now()
  let outcome = "value"
  let text = ""
  try {
    text = inspect(await callOf(attack), { depth: 3, maxArrayLength: 2, maxStringLength: 200 })
  } catch (cause) {
    // Sound: errors of the client are tagged; others are defects.
    outcome = (cause as { readonly _tag?: string })._tag ?? `defect ${String(cause).slice(0, 100)}`
    const error = cause as Error
    text = [error.message, error.stack, JSON.stringify(error), inspect(error, { depth: 8 })].join("\n")
  }
  return {
    attack,
    outcome,
    millis: performance.now() - startedAt,
    showsKey: text.includes(key),
    longest: text.length,
    mebibytes: peak(),
  }
}

const ended: Array<Ended> = []
for (const attack of attacks) ended.push(await endOf(attack))
const isClean = Object.keys(Object.prototype).length === 0 && ({} as { isAdmin?: unknown }).isAdmin === undefined
process.stdout.write(JSON.stringify({ ended, isClean }), () => process.exit(0))
