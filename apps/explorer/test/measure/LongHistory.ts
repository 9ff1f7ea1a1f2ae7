/** Creates a long history of a wallet, in blocks of 1,000 transfers. */
import { Rpc } from "@daybook/harness"
import { Effect } from "effect"
import type { World } from "../World.ts"

const perBlock = 1_000
const perBatch = 250

/** Number of blocks mined above those with transactions. */
const finalAfter = 300

const hex = (value: number): string => `0x${value.toString(16)}`

/** Mines transfers from one account of the node to another; returns both accounts once the transfers are indexed. */
export const make = async (
  world: World,
  rows: number,
): Promise<{ readonly sender: string; readonly recipient: string }> => {
  const { dave, erin } = world.scenario.accounts
  const { url } = world.node
  const first = Number(await world.call<string>("eth_getTransactionCount", [dave, "latest"]))
  for (let sent = 0; sent < rows;) {
    const inBlock = Math.min(perBlock, rows - sent)
    for (let at = 0; at < inBlock; at += perBatch) {
      const calls = Array.from({ length: Math.min(perBatch, inBlock - at) }, (_, index) => ({
        method: "eth_sendTransaction",
        params: [{ from: dave, to: erin, value: "0x1", gas: "0x5208", nonce: hex(first + sent + at + index) }],
      }))
      await Effect.runPromise(Rpc.batch(url, calls))
    }
    await world.call("evm_mine")
    sent += inBlock
  }
  // Makes the transactions final, as in a long history.
  await world.call("anvil_mine", [hex(finalAfter)])
  await world.indexed()
  return { sender: dave, recipient: erin }
}
