/**
 * Reads receipts that do not decode as a whole. A field that no record shows is omitted; a receipt with an invalid field that a record
 * would show is omitted entirely. Omissions are listed.
 *
 * Source: decision 0035.
 */
import * as Address from "@daybook/schema/Address"
import * as Hash from "@daybook/schema/Hash"
import * as Issue from "@daybook/schema/Issue"
import * as Receipt from "@daybook/schema/Receipt"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as LogsBloom from "../verification/LogsBloom.ts"
import type * as Undecoded from "../verification/Undecoded.ts"
import * as LenientObject from "./LenientObject.ts"

/**
 * Receipts, as far as they decode.
 */
export interface LenientReceipts {
  readonly receipts: ReadonlyArray<Receipt.Receipt>
  readonly undecoded: ReadonlyArray<Undecoded.UndecodedPart>
}

const { logs: _, ...receiptFields } = Receipt.Receipt.fields

const required = new Set([
  "transactionHash",
  "transactionIndex",
  "blockHash",
  "blockNumber",
  "cumulativeGasUsed",
  "gasUsed",
  "contractAddress",
])
const shown = new Set([...required, "effectiveGasPrice", "status", "root"])

const ofLog = new Set(["address", "topics", "data", "transactionHash", "transactionIndex", "logIndex"])

const decode = Schema.decodeUnknownOption(Receipt.Receipt)
const decodeHash = Schema.decodeUnknownOption(Hash.Hash)
const isAddress = (value: unknown): boolean => Option.isSome(Schema.decodeUnknownOption(Address.Address)(value))

/** How nodes represent the absence of a contract. */
const noContract: ReadonlySet<unknown> = new Set([undefined, "", "0x"])

/** A receipt without a contract address: none was created if the transaction has a recipient. */
const withContract = (raw: unknown): unknown =>
  LenientObject.isObject(raw) && noContract.has(raw["contractAddress"]) && isAddress(raw["to"])
    ? { ...raw, contractAddress: null }
    : raw

const zeroTopic = `0x${"0".repeat(64)}`

/** Topics of a log: old Hedera relays send `0x` for a topic of zeros. */
const withTopics = (raw: unknown): unknown =>
  LenientObject.isObject(raw) && Array.isArray(raw["topics"])
    ? { ...raw, topics: raw["topics"].map((topic: unknown) => (topic === "0x" ? zeroTopic : topic)) }
    : raw

const readLogs = (given: unknown): Result.Result<ReadonlyArray<LenientObject.Read>, Issue.Issue> => {
  const raw = given === null ? [] : given
  if (!Array.isArray(raw)) return Result.fail({ path: "logs", expected: "a list", received: Issue.describe(raw) })
  const logs: Array<LenientObject.Read> = []
  for (const [at, log] of raw.entries()) {
    const read = LenientObject.read(Receipt.Log.fields, withTopics(log), { required: ofLog, shown: ofLog })
    if (Result.isFailure(read)) return Result.fail({ ...read.failure, path: `logs[${at}].${read.failure.path}` })
    logs.push(read.success)
  }
  return Result.succeed(logs)
}

const readFields = (raw: unknown): Result.Result<LenientObject.Read, Issue.Issue> =>
  Result.gen(function* () {
    const fields = yield* LenientObject.read(receiptFields, withContract(raw), { required, shown })
    const read = yield* readLogs(fields.value["logs"])
    const logs = read.map(({ value }) => value)
    // Sound: address and topics have decoded.
    const logsBloom = LogsBloom.format(LogsBloom.ofLogs(logs as unknown as Receipt.Receipt["logs"]))
    return {
      value: { logsBloom, ...fields.value, logs },
      issues: [...fields.issues, ...read.flatMap(({ issues }) => issues)],
    }
  })

/** A receipt as far as it decodes, and the issues. */
interface Entry {
  readonly receipt: Receipt.Receipt | null
  readonly undecoded: Undecoded.UndecodedPart | null
}

const readReceipt = (raw: unknown, position: number): Entry => {
  const decoded = decode(raw)
  if (Option.isSome(decoded)) return { receipt: decoded.value, undecoded: null }
  const hash = LenientObject.isObject(raw) ? Option.getOrNull(decodeHash(raw["transactionHash"])) : null
  const read = readFields(raw)
  const issue = Result.isFailure(read) ? read.failure : read.success.issues[0]
  const reason = issue === undefined ? "" : Issue.format(`receipt ${position}`, issue)
  return Result.isFailure(read)
    ? { receipt: null, undecoded: { hash, reason, isLeftOut: true } }
    : {
        // Sound: the fields that are used without a check have decoded.
        receipt: read.success.value as unknown as Receipt.Receipt,
        undecoded: issue === undefined ? null : { hash, reason, isLeftOut: false },
      }
}

/**
 * Reads receipts in the order of their transactions.
 */
export const read = (raw: ReadonlyArray<unknown>): LenientReceipts => {
  const entries = raw.map(readReceipt)
  return {
    receipts: entries.flatMap(({ receipt }) => (receipt === null ? [] : [receipt])),
    undecoded: entries.flatMap(({ undecoded }) => (undecoded === null ? [] : [undecoded])),
  }
}
