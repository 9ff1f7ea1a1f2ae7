import { describe, expect, it } from "vitest"
import * as HostNames from "../../../src/server/monitoring/HostNames.ts"

describe("HostNames", () => {
  it("hides the hosts of the configured nodes, addresses, and other names with a port", () => {
    const hide = HostNames.hider(["http://geth:8545/key", "http://erigon/key", "https://KEY.provider.example/v3"])
    for (const host of [
      "geth:8545",
      "erigon",
      "key.provider.example",
      "other.example:8545",
      "127.0.0.1:8545",
      "10.0.0.7",
      "localhost:8545",
      "[::1]:8545",
    ]) {
      expect(hide(`Wrong chain at ${host}: expected chain id 1.`)).toBe("Wrong chain at the node: expected chain id 1.")
      expect(hide(`${host} cannot trace ("x").`)).toBe('the node cannot trace ("x").')
    }
  })

  it("leaves other words, numbers and files unchanged", () => {
    const hide = HostNames.hider(["http://geth:8545", "http://node:8545", "http://node", "https://a.example"])
    for (const text of [
      "2 blocks behind the head of the node.",
      "Synced at 12.5 blocks/s, e.g. at 2026-11-22T12:30:00.000Z.",
      "Database damaged: chain-eth.sqlite. Restore a backup.",
      'Correct "rpc" in daybook.json.',
      "debug_traceBlockByHash, geth-like",
      "Invalid response: result.transactions[1].transactionIndex: expected a number, received 0x.",
      "result.pro.example.transactions[0].a.example.to: expected 0x, at 12:30.",
    ]) {
      expect(hide(text)).toBe(text)
    }
  })
})
