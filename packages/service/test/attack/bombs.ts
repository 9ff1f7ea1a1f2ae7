/** Trace bombs: contracts of a few bytes on a real node whose traces have large inputs or outputs, many calls or deeply nested calls. */
import * as AttackedChain from "./AttackedChain.ts"
import * as Client from "./Client.ts"
import type { Scale, Scenario } from "./Scenario.ts"

const hex = (value: number, bytes: number): string => value.toString(16).padStart(2 * bytes, "0")

/** Init code that deploys code. */
const initOf = (code: string): string => `0x61${hex(code.length / 2, 2)}80600c6000396000f3${code}`

/** Code that calls an address repeatedly, with this many bytes of memory as input. */
const callsOf = (count: number, address: string, inputBytes: number): string =>
  `61${hex(count, 2)}5b6000600062${hex(inputBytes, 3)}6000600073${address.slice(2)}5af150600190038060035700`

/** Code that returns this many bytes of memory. */
const returnsOf = (bytes: number): string => `62${hex(bytes, 3)}6000f3`

/** Code that calls itself. */
const recursion = "60006000600060006000305af100"

const emptyAccount = `0x${"de".repeat(20)}`

interface Bomb {
  readonly name: string
  /** Code of the contract; `returner` is the address of a contract that returns 100 kB. */
  readonly code: (returner: string, scale: Scale) => string
}

const many = (scale: Scale, full: number): number => (scale === "full" ? full : Math.ceil(full / 50))

const bombs: ReadonlyArray<Bomb> = [
  { name: "input", code: (_, scale) => callsOf(many(scale, 345), emptyAccount, 100_000) },
  { name: "output", code: (returner, scale) => callsOf(many(scale, 345), returner, 0) },
  { name: "number of calls", code: (_, scale) => callsOf(many(scale, 60_000), emptyAccount, 0) },
  { name: "depth", code: () => recursion },
]

/** Sends a transaction in a separate block; returns the address of the created contract. */
const transact = async ({ account, call }: AttackedChain.AttackedChain, more: object): Promise<string | null> => {
  const hash = await call<string>("eth_sendTransaction", [{ from: account, gas: "0x1c00000", ...more }])
  await call("evm_mine")
  const receipt = await call<{ contractAddress: string | null }>("eth_getTransactionReceipt", [hash])
  return receipt.contractAddress
}

const scenarioOf = ({ code, name }: Bomb): Scenario => {
  let node: AttackedChain.AttackedChain | undefined
  return {
    name: `trace bomb by ${name}`,
    bound: "limits of traces: calls above them are stored as a gap",
    service: async () => {
      node = await AttackedChain.start()
      return {
        config: { chains: { attack: { id: 31_337, rpc: [node.url], pollMillis: 200 } } },
        role: "all",
        close: node.close,
      }
    },
    run: async (attacked, scale) => {
      const chain = node!
      const key = await attacked.key("reader")
      const returner = await transact(chain, { data: initOf(returnsOf(100_000)) })
      const bomb = await transact(chain, { data: initOf(code(returner!, scale)) })
      for (let turn = 0; turn < (scale === "full" ? 4 : 1); turn++) await transact(chain, { to: bomb })
      await transact(chain, { to: emptyAccount, value: "0x1" })
      const head = Number(await chain.call<string>("eth_blockNumber"))
      const { last, reached } = await AttackedChain.indexed(attacked.url, head, scale === "full" ? 120 : 30)
      if (!reached)
        return { behaviour: "the chain does not advance", faults: [`not indexed: ${last.state}, ${last.message}`] }
      const response = await Client.page(attacked, key, bomb!, "&include=internal_transactions&limit=1")
      const behaviour = `indexed to the head; gaps ${JSON.stringify(last.gaps ?? {})}; a row of ${response.bytes} bytes, status ${response.status}`
      return {
        behaviour,
        faults: response.status === 200 ? [] : [`status ${response.status}: ${response.text.slice(0, 200)}`],
      }
    },
  }
}

export const scenarios: ReadonlyArray<Scenario> = bombs.map(scenarioOf)
