/** What an operator may choose for a chain's index, and how a wrong choice is told. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as ChainRunner from "../../src/indexer/ChainRunner.ts"

const wallet = `0x${"aB".repeat(20)}`

const withChain = (chain: object) =>
  Config.decode({
    listen: { host: "127.0.0.1", port: 0 },
    database: "sqlite:data",
    chains: { eth: { rpc: ["http://127.0.0.1:8545"], ...chain } },
  })

const problemsOf = (chain: object) => {
  const decoded = withChain(chain)
  return Result.isSuccess(decoded) ? [] : decoded.failure.issues
}

describe("a chain's configuration", () => {
  it("takes each choice", () => {
    const chain = {
      fromDate: "2024-01-31T12:00:00Z",
      watch: [wallet],
      checks: "full",
      ethereumRules: false,
      finalityBlocks: 7,
    }
    const decoded = Result.getOrThrow(withChain(chain))
    const [plan] = Result.getOrThrow(ChainRunner.fromConfig(decoded, "/", "me"))

    expect(decoded.chains["eth"]).toMatchObject(chain)
    expect([...(ChainRunner.watched(plan!) ?? [])]).toEqual([wallet.toLowerCase()])
  })

  it.each([
    [{ fromDate: "yesterday" }, /^"chains\.eth\.fromDate" is "yesterday"; accepted: a date of ISO 8601/],
    [{ fromDate: "2024-13-31" }, /^"chains\.eth\.fromDate" is "2024-13-31"; accepted: a date/],
    [{ watch: ["0x12"] }, /^"chains\.eth\.watch\[0\]" is "0x12"; accepted: an address/],
    [{ watch: [] }, /^"chains\.eth\.watch/],
    [{ checks: "some" }, /^"chains\.eth\.checks" is "some"; accepted: "links" \| "standard" \| "full"/],
    [{ finalityBlocks: 0 }, /^"chains\.eth\.finalityBlocks" is 0/],
    [{ fromBlock: 5, fromDate: "2024-01-31" }, /has both "fromBlock" and "fromDate": give one of them\.$/],
  ])("says what is wrong with %j", (chain, expected) => {
    expect(problemsOf(chain)).toEqual([expect.stringMatching(expected)])
  })
})
