import { Result, Schema } from "effect"
import * as WalletTransaction from "@daybook/schema/WalletTransaction"
import { describe, expect, it } from "vitest"
import type * as Decoder from "@daybook/abi/Decoder"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { redecode } from "../../src/projection/Redecode.ts"
import * as BlockAssembler from "../../src/fetch/BlockAssembler.ts"
import * as BlockFacts from "../../src/block/BlockFacts.ts"
import * as LenientBlock from "../../src/node/LenientBlock.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import * as TrieRoot from "../../src/verification/TrieRoot.ts"
import * as fixture from "../indexer/fixture.ts"

const { blockHash, created, creationReceiptWire, creationWire, hash, sender, token } = fixture
const { topic, transferHash, transferInput, transferReceiptWire, transferWire, word } = fixture
const decoder = KnownSignatures.decoder()

const rows = (block: object = {}, ...receipts: Parameters<typeof fixture.receipts>) =>
  Result.getOrThrow(
    BlockAssembler.assemble(
      { block: fixture.block({ ...block }), receipts: fixture.receipts(...receipts), traces: null },
      { decoder },
    ),
  )

const firstPrice = (transaction: object, receipt: object) => {
  const { gasPrice: _, ...bare } = transferWire
  const { effectiveGasPrice: __, ...bareReceipt } = transferReceiptWire
  const transactions = [{ ...bare, ...transaction }, creationWire]
  const [row] = rows({ transactions }, [{ ...bareReceipt, ...receipt }, creationReceiptWire]).transactions
  return JSON.parse(row!.body).gas_price as string
}

const time = "2021-05-07T11:08:35.000Z"

describe("BlockAssembler", () => {
  describe("assemble", () => {
    it("assemble: writes a call exactly as the interface defines it", () => {
      const params = [
        { name: "from", value: "0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa", type: "address" },
        { name: "to", value: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", type: "address" },
        { name: "value", value: "5", type: "uint256" },
      ]
      expect(rows().transactions[0]!.body).toBe(
        JSON.stringify({
          hash: transferHash,
          nonce: "7",
          transaction_index: "0",
          from_address: sender,
          to_address: token,
          value: "0",
          gas: "100000",
          gas_price: "1000000007",
          input: transferInput,
          receipt_cumulative_gas_used: "50000",
          receipt_gas_used: "50000",
          receipt_contract_address: "",
          receipt_root: "",
          receipt_status: "1",
          block_timestamp: time,
          block_number: "100",
          block_hash: blockHash,
          logs: [
            {
              log_index: "0",
              transaction_hash: transferHash,
              transaction_index: "0",
              address: token,
              data: `0x${word("05")}`,
              topic0: topic,
              topic1: `0x${word(sender.slice(2))}`,
              topic2: `0x${word("e".repeat(40))}`,
              topic3: "",
              block_timestamp: time,
              block_number: "100",
              block_hash: blockHash,
              decoded_event: {
                signature: "Transfer(address,address,uint256)",
                label: "Transfer",
                type: "event",
                params,
              },
            },
          ],
          decoded_call: {
            signature: "transfer(address,uint256)",
            label: "transfer",
            type: "function",
            params: [params[1], params[2]],
          },
        }),
      )
    })

    it("assemble: writes a creation before Byzantium with contract and root, but without recipient, call and status", () => {
      const body = JSON.parse(rows().transactions[1]!.body)
      const { decoded_call, logs, receipt_contract_address, receipt_root, receipt_status, to_address } = body
      expect({ decoded_call, receipt_contract_address, receipt_root, receipt_status, to_address }).toEqual({
        decoded_call: null,
        receipt_contract_address: created,
        receipt_root: hash("f"),
        receipt_status: "",
        to_address: null,
      })
      expect(logs.map((log: object) => Object.entries(log).filter(([key]) => key.startsWith("topic")))).toEqual([
        [
          ["topic0", ""],
          ["topic1", ""],
          ["topic2", ""],
          ["topic3", ""],
        ],
        [
          ["topic0", hash("9")],
          ["topic1", ""],
          ["topic2", ""],
          ["topic3", ""],
        ],
      ])
      expect(logs.map((log: { decoded_event: unknown }) => log.decoded_event)).toEqual([null, null])
    })

    it("assemble: does not decode init code as a call, even if it begins like one", () => {
      const transactions = [transferWire, { ...creationWire, input: transferInput }]
      const bodies = rows({ transactions }).transactions.map(({ body }) => JSON.parse(body))

      expect(bodies.map(({ decoded_call: call }) => call?.label)).toEqual(["transfer", undefined])
    })

    it.each([
      [null, ""],
      ["0x", ""],
      [hash("f"), hash("f")],
    ])("assemble: writes the root %s of a receipt as %j", (root, expected) => {
      const [, row] = rows({}, [transferReceiptWire, { ...creationReceiptWire, root }]).transactions

      expect(JSON.parse(row!.body).receipt_root).toBe(expected)
    })

    it("assemble: writes the facts of the block, with the gas fees of all its transactions", () => {
      const fees = 50_000n * 1_000_000_007n + 60_000n * 20_000_000_000n

      expect(BlockFacts.fromText(rows().facts!)).toMatchObject({
        feeRecipient: fixture.address("0"),
        baseFeePerGas: 7n,
        gasFees: fees,
        transactions: [
          { index: 0, type: 2 },
          { index: 1, type: 0 },
        ],
      })
    })

    it("assemble: omits gas fees if a receipt is missing, and writes only the facts of watched transactions", () => {
      const options = { decoder, watch: new Set([created]) }
      const factsOf = (wire: ReadonlyArray<Readonly<Record<string, unknown>>>, more: object) => {
        const responses = { block: fixture.block(), receipts: fixture.receipts(wire), traces: null }
        const assembled = BlockAssembler.assemble(responses, { ...options, ...more })
        return BlockFacts.fromText(Result.getOrThrow(assembled).facts!)
      }
      const all = factsOf([transferReceiptWire, creationReceiptWire], {})
      const some = factsOf([{ ...creationReceiptWire, logs: [] }], { allowMissing: true })

      expect(all).toMatchObject({ gasFees: 1_250_000_000_350_000n, transactions: [{ index: 1 }] })
      expect(some).toMatchObject({ gasFees: null, transactions: [{ index: 1 }] })
    })

    it("assemble: omits the facts of a block without withdrawals if the chain's rules require them", () => {
      const factsOf = (wire: object, more: object = {}) => {
        const block = fixture.block({ withdrawalsRoot: hash("5"), ...wire })
        const rules = [{ fromBlock: 0n, headerHash: false, blooms: false, roots: false, withdrawals: true }] as const
        const responses = { block, receipts: fixture.receipts(), traces: null }
        return Result.getOrThrow(BlockAssembler.assemble(responses, { decoder, rules, ...more })).facts
      }

      expect(factsOf({})).toBeUndefined()
      expect(factsOf({ withdrawals: [], withdrawalsRoot: TrieRoot.empty })).toBeDefined()
      expect(factsOf({ withdrawalsRoot: TrieRoot.empty })).toBeDefined()
      expect(factsOf({}, { checks: "links" })).toBeDefined()
    })

    it("assemble: keeps exactly the transactions in which a watched wallet has a role, and those always kept", () => {
      const traces = { _tag: "Untraced", reason: "no state" } as const
      const ledger = LedgerRules.fromChainId(1)
      const hashesOf = (more: Partial<BlockAssembler.Options>, traced: BlockAssembler.Responses["traces"] = null) =>
        Result.getOrThrow(
          BlockAssembler.assemble(
            { block: fixture.block(), receipts: fixture.receipts(), traces: traced },
            { decoder, ledger, ...more },
          ),
        ).transactions.map(({ addresses, hash: own }) => [own, addresses])
      const recipient = fixture.address("e")

      expect(hashesOf({ watch: new Set([recipient]) })).toEqual([[transferHash, []]])
      expect(hashesOf({ watch: new Set([created]) })).toEqual([[creationWire.hash, [created]]])
      expect(hashesOf({ watch: new Set([fixture.address("1")]) })).toEqual([])
      expect(hashesOf({ watch: new Set<string>(), kept: new Set([String(creationWire.hash)]) })).toEqual([
        [creationWire.hash, []],
      ])
      expect(hashesOf({ watch: new Set<string>() }, traces)).toHaveLength(2)
      expect(hashesOf({ watch: new Set([recipient]), ledger: undefined })).toEqual([])
    })

    it("assemble: finds the roles of watched wallets in a block with a field that does not decode", () => {
      const hashesOf = (wire: object, watched: string) => {
        const { block, undecoded } = Result.getOrThrow(LenientBlock.read({ ...fixture.blockWire, ...wire }))
        const options = { decoder, ledger: LedgerRules.fromChainId(1), undecoded, watch: new Set([watched]) }
        const assembled = BlockAssembler.assemble({ block, receipts: fixture.receipts(), traces: null }, options)
        return Result.getOrThrow(assembled).transactions.map((row) => row.hash)
      }
      const unreadable = { ...transferWire, type: "0x4", authorizationList: "nonsense" }
      const [recipient, other] = [fixture.address("e"), fixture.address("1")]

      expect(hashesOf({ gasUsed: "nonsense" }, recipient)).toEqual([transferHash])
      expect(hashesOf({ gasUsed: "nonsense" }, other)).toEqual([])
      // It may be an authority.
      expect(hashesOf({ transactions: [unreadable, creationWire] }, other)).toEqual([transferHash])
    })

    it("assemble: lists sender, recipient and created contract of each transaction once", () => {
      expect(rows().transactions.map(({ addresses }) => addresses)).toEqual([
        [sender, token],
        [sender, created],
      ])
      const transactions = [{ ...transferWire, to: sender }, creationWire]
      expect(rows({ transactions }).transactions[0]!.addresses).toEqual([sender])
    })

    it("assemble: rows have number, hashes, timestamp and decoder revision of the block", () => {
      const { decoderRevision, number, parentHash, timestamp } = rows()
      expect({ hash: rows().hash, number, parentHash, timestamp }).toEqual({
        hash: blockHash,
        number: 100,
        parentHash: hash("a"),
        timestamp: 1620385715,
      })
      expect(decoderRevision).toBe(decoder.revision)
      expect(rows().transactions.map(({ internal }) => internal)).toEqual([null, null])
    })

    it("assemble: writes bodies that decode with the schema and encode to the same text with labels added", () => {
      for (const { body } of rows().transactions) {
        expect(JSON.stringify(JSON.parse(body))).toBe(body)
        const decoded = Schema.decodeUnknownSync(WalletTransaction.WalletTransaction)(JSON.parse(body))
        expect(JSON.stringify(Schema.encodeSync(WalletTransaction.WalletTransaction)(decoded))).toBe(
          `${body.slice(0, -1)},"from_address_label":null,"to_address_label":null}`,
        )
      }
    })

    it.each([
      ["without common fields", {}],
      ["whose common fields are null", { gas: null, input: null, nonce: null, value: null }],
    ])("assemble: accepts a transaction of an unknown type %s", (_title, fields) => {
      const { gas: _, input: __, nonce: ___, value: ____, ...bare } = transferWire
      const transactions = [{ ...bare, ...fields, type: "0xee" }, creationWire]
      const body = JSON.parse(rows({ transactions }).transactions[0]!.body)
      const { decoded_call, gas, input, nonce, value } = body
      expect({ decoded_call, gas, input, nonce, value }).toEqual({
        decoded_call: null,
        gas: "0",
        input: "0x",
        nonce: "0",
        value: "0",
      })
    })

    it("assemble: fails if the parts belong to different blocks", () => {
      const outcome = BlockAssembler.assemble({ block: fixture.block(), receipts: [], traces: null }, { decoder })
      expect(Result.isFailure(outcome) && outcome.failure._tag).toBe("InvalidBlock")
    })
  })

  describe("gas_price", () => {
    it("gas_price: is the receipt's price", () => {
      expect(firstPrice({ gasPrice: "0x1" }, { effectiveGasPrice: "0x2" })).toBe("2")
    })

    it("gas_price: is the transaction's price if the receipt has none", () => {
      expect(firstPrice({ gasPrice: "0x1" }, {})).toBe("1")
      expect(firstPrice({ gasPrice: "0x1" }, { effectiveGasPrice: null })).toBe("1")
    })

    it("gas_price: is base fee plus tip if neither has a price, and never above the limit", () => {
      expect(firstPrice({ maxFeePerGas: "0x64", maxPriorityFeePerGas: "0x3" }, {})).toBe("10")
      expect(firstPrice({ maxFeePerGas: "0x8", maxPriorityFeePerGas: "0x3" }, {})).toBe("8")
    })

    it("gas_price: is 0 for a transaction without a price", () => {
      const { maxFeePerGas: _, maxPriorityFeePerGas: __, gasPrice: ___, ...bare } = transferWire
      const { effectiveGasPrice: ____, ...receipt } = transferReceiptWire
      const transactions = [{ ...bare, type: "0x7e", sourceHash: hash("3") }, creationWire]
      const [row] = rows({ transactions }, [receipt, creationReceiptWire]).transactions
      expect(JSON.parse(row!.body).gas_price).toBe("0")
    })
  })
})

describe("Redecode", () => {
  const knowsNothing: Decoder.Decoder = {
    revision: 0,
    event: () => null,
    call: () => null,
    functionOf: () => null,
    candidates: () => [],
  }
  const undecoded = Result.getOrThrow(
    BlockAssembler.assemble(
      { block: fixture.block(), receipts: fixture.receipts(), traces: null },
      { decoder: knowsNothing },
    ),
  )

  it("redecode: returns the text that the newer decoder would have written", () => {
    const again = undecoded.transactions.map(({ body }) => redecode(body, decoder))
    expect(undecoded.transactions[0]!.body).not.toBe(again[0])
    expect(again).toEqual(rows().transactions.map(({ body }) => body))
  })

  it("redecode: removes items that the decoder no longer knows", () => {
    const again = rows().transactions.map(({ body }) => redecode(body, knowsNothing))
    expect(again).toEqual(undecoded.transactions.map(({ body }) => body))
  })
})
