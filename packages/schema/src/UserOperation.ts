/**
 * User operations of ERC-4337: what an account did through an entry point, carried by a transaction of another account. Operations
 * complement the movements of a wallet but are not movements: their cost is part of other movements.
 */
import * as Schema from "effect/Schema"
import * as Address from "./Address.ts"
import * as Decimal from "./Decimal.ts"
import * as Hash from "./Hash.ts"
import * as Hex from "./Hex.ts"
import { isRestLog } from "./internal/eitherLog.ts"
import { type Named, open } from "./internal/open.ts"
import * as Log from "./Log.ts"
import type * as Receipt from "./Receipt.ts"
import * as Text from "./internal/text.ts"
import * as Movement from "./Movement.ts"
import * as Timestamp from "./Timestamp.ts"

/**
 * Topic 0 of the events of an entry point that report an operation.
 *
 * **Example** (Recognising an operation)
 *
 * ```ts
 * import * as UserOperation from "@daybook/schema/UserOperation"
 *
 * console.log(UserOperation.topics.userOperation.slice(0, 10)) // 0x49628fd1
 * ```
 *
 * Source: ERC-4337, entry point 0.6 to 0.9.
 */
export const topics = {
  userOperation: "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f",
  accountDeployed: "0xd51a9c61267aa6196961883ecf5ff2da6619c37dac0fa92122513fb32c032d2d",
  revertReason: "0x1c4fada7374c0a9ee8841fc38afe82932dc0f8e69012e927f061a8bae611a201",
  postOperationRevertReason: "0xf62676f440ff169a3a9afdbf812e89e7f95975ee8e5c31214ffdef631c5f4792",
  prefundTooLow: "0x67b4fa9642f42120bf031f3051d1824b0fe25627945b27b8a6a65d5761d5482e",
} as const

/**
 * Versions of the entry points that are deployed at one address on every chain. Any other contract may log the same events.
 *
 * **Example** (Naming an entry point)
 *
 * ```ts
 * import * as UserOperation from "@daybook/schema/UserOperation"
 *
 * console.log(UserOperation.entryPoints["0x0000000071727de22e5e9d8baf0edac6f37da032"]) // 0.7
 * ```
 *
 * Source: ERC-4337, reference implementation.
 */
export const entryPoints: Readonly<Record<string, string>> = {
  "0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789": "0.6",
  "0x0000000071727de22e5e9d8baf0edac6f37da032": "0.7",
  "0x4337084d9e255ff0702461cf8895ce9e3b5ff108": "0.8",
  "0x433709009b8330fda32311df1c2afa402ed8d009": "0.9",
}

/**
 * The parts of a log that determine whether it reports an operation.
 *
 * Source: Solidity ABI specification, events.
 */
export interface OperationLog {
  /** ABI-encoded parameters that are not indexed, in lower-case hex. */
  readonly data: string
  /** Topics, in lower-case hex. */
  readonly topics: ReadonlyArray<string>
  /** Address of the contract that emitted the log, in lower case. */
  readonly address: string
}

/** What earlier events report about an operation. */
interface Notes {
  /** Factory that deployed the sender for this operation; `null` for none. */
  readonly factory: Address.Address | null
  /** Revert data of the sender's call; `null` if no event reports it. */
  readonly revertReason: Hex.Hex | null
  /** Revert data of the paymaster's post-operation call; `null` if no event reports it. */
  readonly postOperationRevertReason: Hex.Hex | null
  /** Whether the operation used more gas than was prefunded. */
  readonly isPrefundTooLow: boolean
}

/**
 * An operation as reported by the logs of a transaction.
 *
 * Source: ERC-4337.
 */
export interface LoggedOperation extends Notes {
  /** Hash of the operation. */
  readonly hash: Hash.Hash
  /** Account that the operation belongs to. */
  readonly sender: Address.Address
  /** Contract that paid; `null` if the sender did. */
  readonly paymaster: Address.Address | null
  /** 256-bit nonce: a key of 192 bits and a sequence of 64 bits. It is not the account's transaction nonce. */
  readonly nonce: bigint
  /** Whether the call of the sender succeeded. */
  readonly isSuccess: boolean
  /** Amount that the sender or the paymaster paid, in wei. */
  readonly actualGasCost: bigint
  /** Gas that was charged, in gas units. */
  readonly actualGasUsed: bigint
  /** Contract that emitted the events. */
  readonly entryPoint: Address.Address
  /** Index of its log in the list, from 0. */
  readonly position: number
}

const wordDigits = 64

const wordsOf = ({ data }: OperationLog): number => (data.length - 2) / wordDigits

const wordAt = ({ data }: OperationLog, word: number): bigint =>
  BigInt(`0x${data.slice(2 + word * wordDigits, 2 + (word + 1) * wordDigits)}`)

const orNone = (address: Address.Address): Address.Address | null => (/^0x0+$/.test(address) ? null : address)

/** Address in a word of the data; undefined if it does not hold one. */
const addressAt = ({ data }: OperationLog, word: number): Address.Address | undefined =>
  Address.fromTopic(`0x${data.slice(2 + word * wordDigits, 2 + (word + 1) * wordDigits)}`)

/** Reads the event of an operation; `null` if the log is malformed. */
const operationOf = (log: OperationLog): Omit<LoggedOperation, keyof Notes | "position"> | null => {
  const [, hash, senderTopic, paymasterTopic] = log.topics
  const [sender, paymaster] = [Address.fromTopic(senderTopic), Address.fromTopic(paymasterTopic)]
  if (hash === undefined || sender === undefined || paymaster === undefined || wordsOf(log) !== 4) return null
  const success = wordAt(log, 1)
  if (success > 1n) return null
  return {
    // Sound: a topic has 32 bytes.
    hash: hash as Hash.Hash,
    sender,
    paymaster: orNone(paymaster),
    nonce: wordAt(log, 0),
    isSuccess: success === 1n,
    actualGasCost: wordAt(log, 2),
    actualGasUsed: wordAt(log, 3),
    // Sound: emitters of logs are in lower case.
    entryPoint: log.address as Address.Address,
  }
}

/** Revert reason after a nonce; `null` if the data is malformed. */
const reasonOf = (log: OperationLog): Hex.Hex | null => {
  const words = wordsOf(log)
  if (words < 3 || wordAt(log, 1) !== 64n) return null
  const length = wordAt(log, 2)
  if (length > BigInt(Math.floor((words - 3) * 32))) return null
  const begin = 2 + 3 * wordDigits
  return `0x${log.data.slice(begin, begin + 2 * Number(length))}`
}

const noNotes: Notes = { factory: null, revertReason: null, postOperationRevertReason: null, isPrefundTooLow: false }

/** What an event reports about the operation that a later event completes; `null` for any other event. */
const noteOf = (log: OperationLog): Partial<Notes> | null => {
  switch (log.topics[0]) {
    case topics.accountDeployed: {
      const factory = wordsOf(log) === 2 ? addressAt(log, 0) : undefined
      return factory === undefined ? null : { factory }
    }
    case topics.revertReason:
      return { revertReason: reasonOf(log) }
    case topics.postOperationRevertReason:
      return { postOperationRevertReason: reasonOf(log) }
    case topics.prefundTooLow:
      return { isPrefundTooLow: true }
    default:
      return null
  }
}

const isOperation = ({ topics: [topic0] }: OperationLog): boolean => topic0 === topics.userOperation

/**
 * Reads the user operations from the logs of a transaction, in log order.
 *
 * **Details**
 *
 * An operation ends with a UserOperationEvent. Earlier events of the same contract with its hash and sender add the factory and the revert
 * reasons. Malformed logs are ignored.
 *
 * **Gotchas**
 *
 * - What a contract logs is not verified further. Only the `entryPoints` are known to log what happened.
 *
 * **Example** (Reading the logs of a receipt)
 *
 * ```ts
 * import * as UserOperation from "@daybook/schema/UserOperation"
 *
 * const word = (value: bigint) => value.toString(16).padStart(64, "0")
 * const log = {
 *   address: "0x0000000071727de22e5e9d8baf0edac6f37da032",
 *   topics: [UserOperation.topics.userOperation, `0x${word(7n)}`, `0x${word(0xa11cen)}`, `0x${word(0n)}`],
 *   data: `0x${[3n, 1n, 21_000n, 700n].map(word).join("")}`,
 * }
 * const [operation] = UserOperation.fromLogs([log])
 * console.log(operation?.nonce, operation?.isSuccess, operation?.paymaster) // 3n true null
 * ```
 *
 * Source: ERC-4337; decision 0048.
 */
export const fromLogs = (logs: ReadonlyArray<OperationLog>): ReadonlyArray<LoggedOperation> => {
  if (!logs.some(isOperation)) return []
  const notes = new Map<string, Notes>()
  const found: Array<LoggedOperation> = []
  for (const [position, log] of logs.entries()) {
    const [, hash, sender] = log.topics
    const key = `${log.address} ${hash} ${sender}`
    const [note, operation] = [noteOf(log), isOperation(log) ? operationOf(log) : null]
    if (note !== null) notes.set(key, { ...(notes.get(key) ?? noNotes), ...note })
    if (operation === null) continue
    found.push({ ...operation, ...(notes.get(key) ?? noNotes), position })
    notes.delete(key)
  }
  return found
}

/**
 * Returns the user operations of a wallet transaction or a receipt, in log order.
 *
 * **Example** (Counting the operations of a receipt)
 *
 * ```ts
 * import { userOperations } from "@daybook/schema/UserOperation"
 *
 * console.log(userOperations({ logs: [] }).length) // 0
 * ```
 *
 * Source: ERC-4337; decision 0048.
 */
export const userOperations = (
  record: { readonly logs: ReadonlyArray<Log.Log> } | Pick<Receipt.Receipt, "logs">,
): ReadonlyArray<LoggedOperation> =>
  fromLogs(
    record.logs.map((log: Log.Log | Receipt.Log) =>
      isRestLog(log) ? { address: log.address, data: log.data, topics: Log.topics(log) } : log,
    ),
  )

const userOperationCodec = open("UserOperation", {
  /** Hash of the operation, as returned by bundlers. It is not the transaction hash. */
  user_operation_hash: Hash.Hash,
  /** Account that the operation belongs to. */
  sender: Address.Address,
  /** Contract that paid for it; `null` if the sender did. */
  paymaster: Address.OrNone,
  /** Sender of the transaction. */
  bundler: Address.Address,
  /** Factory that deployed the sender for this operation; `null` for none. */
  factory: Address.OrNone,
  /** 256-bit nonce: a key of 192 bits and a sequence of 64 bits. It is not the account's transaction nonce. */
  nonce: Decimal.Decimal,
  /** Whether the sender's call succeeded. The transaction succeeds even if it did not. */
  success: Schema.Boolean,
  /** Revert data of the sender's call; `null` if no event reports it. */
  revert_reason: Hex.OrNull,
  /** Revert data of the paymaster's post-operation call; `null` if no event reports it. */
  post_operation_revert_reason: Hex.OrNull,
  /** True if the operation failed because it used more gas than was prefunded. */
  prefund_too_low: Schema.Boolean,
  /** Amount that the sender or the paymaster paid from its deposit, in wei. It is not a movement, but part of other movements. */
  actual_gas_cost: Decimal.Decimal,
  /** Gas that was charged, in gas units. */
  actual_gas_used: Decimal.Decimal,
  /** Contract that emitted the events. */
  entry_point: Address.Address,
  /** Version of a known entry point; `null` for any other contract, which may log events that did not happen. */
  entry_point_version: Text.OrNone,
  /** Index of the log of the operation in the block. */
  log_index: Decimal.SafeInteger,
  /** Transaction hash. */
  transaction_hash: Hash.Hash,
  /** Index of the transaction in the block, from 0. */
  transaction_index: Decimal.SafeInteger,
  /** Block number. */
  block_number: Decimal.Decimal,
  /** Block hash. */
  block_hash: Hash.Hash,
  /** Block time. */
  block_timestamp: Timestamp.Timestamp,
  /** Roles of the wallet in the operation: `operation_sender`, `paymaster`, `bundler`. */
  roles: Schema.Array(Movement.Role),
})

export interface UserOperation extends Schema.Schema.Type<typeof userOperationCodec> {}

/** Encoded form of `UserOperation`: the values of its JSON. */
export interface UserOperationWire extends Schema.Codec.Encoded<typeof userOperationCodec> {}

/**
 * A user operation of ERC-4337 in which a wallet is the sender, the paymaster or the bundler.
 *
 * **Details**
 *
 * The cost of an operation is taken from a deposit inside the entry point. The sender's balance only changes when it sends the prefund,
 * which is a separate movement. The cost is therefore not a movement, and adding both would count it twice.
 *
 * **Example** (Decoding one field)
 *
 * ```ts
 * import * as Schema from "effect/Schema"
 * import * as UserOperation from "@daybook/schema/UserOperation"
 *
 * console.log(Schema.decodeUnknownSync(UserOperation.UserOperation.fields.actual_gas_cost)("21000")) // 21000n
 * ```
 *
 * Source: ERC-4337; decision 0048.
 */
export const UserOperation: Named<typeof userOperationCodec, UserOperation, UserOperationWire> = userOperationCodec

/**
 * Unknown keys of a user operation, with the values received.
 *
 * **Example** (Listing unknown keys)
 *
 * ```ts
 * import * as UserOperation from "@daybook/schema/UserOperation"
 *
 * declare const row: UserOperation.UserOperation
 * export const extras = () => UserOperation.extras(row)
 * ```
 *
 * Source: decision 0020.
 */
export const extras = (value: UserOperation): Readonly<Record<string, unknown>> => UserOperation.extras(value)
