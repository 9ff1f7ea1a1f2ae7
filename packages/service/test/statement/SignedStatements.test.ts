import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as RowsDigest from "../../src/signed/RowsDigest.ts"
import * as SigningKey from "../../src/signed/SigningKey.ts"
import * as StatementFile from "../../src/signed/StatementFile.ts"
import * as SignedStatements from "../../src/statement/SignedStatements.ts"
import type { Balance, Statement } from "../../src/statement/Statement.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const hash = `0x${"00".repeat(32)}`

/** The statement of a wallet that holds this many assets. */
const holding = (assets: number): Statement => ({
  address: `0x${"a1".repeat(20)}`,
  chainId: 1,
  fromBlock: 1,
  openingBlock: 0,
  block: { number: 9, hash },
  isProved: true,
  transactions: 0,
  sent: null,
  opening: [],
  totals: [],
  closing: Array.from({ length: assets }, (_, at): Balance => ({
    holding: { standard: "erc20", asset: `0x${at.toString(16).padStart(40, "0")}`, tokenId: null },
    amount: 1n,
  })),
  differences: [],
  rows: RowsDigest.make().result(),
  byStateRoot: [],
  unproved: [],
})

describe("SignedStatements", () => {
  it.effect("toText: states at most as many assets of a wallet as are compared with the chain", () =>
    Effect.gen(function* () {
      const key = yield* SigningKey.create(join(yield* temporaryFolder, "key.pem"))
      const details = { opening: { number: 0, hash }, madeAt: new Date(0), madeBy: "daybook 0.0.0" }
      const most = SignedStatements.toText([holding(20_000)], details, key)
      const more = SignedStatements.toText([holding(1), holding(20_001)], details, key)

      expect(Result.isSuccess(most)).toBe(true)
      expect(more).toEqual(Result.fail(new StatementFile.StatementTooLong({ what: "assets", max: 20_000 })))
    }),
  )
})
