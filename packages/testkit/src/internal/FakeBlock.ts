/** Blocks of a fake chain. */

/** A log without its position. */
export interface FakeLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly data: string
}

/** A call inside a transaction that moved ether. */
export interface FakeCall {
  readonly from: string
  readonly to: string
  readonly value: bigint
}

/** A withdrawal from the beacon chain. */
export interface FakeWithdrawal {
  readonly index: number
  readonly validatorIndex: number
  readonly address: string
  readonly amountGwei: bigint
}

/** A transaction with its receipt. */
export interface FakeTransaction {
  readonly hash: string
  readonly index: number
  readonly nonce: number
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly gas: bigint
  readonly gasUsed: bigint
  readonly cumulativeGasUsed: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly gasPrice: bigint
  readonly input: string
  readonly succeeded: boolean
  readonly logs: ReadonlyArray<FakeLog>
  /** Calls inside it; none if it failed. */
  readonly calls: ReadonlyArray<FakeCall>
  /** Index of its first log in the block. */
  readonly firstLogIndex: number
}

/** A block. */
export interface FakeBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly baseFeePerGas: bigint
  readonly gasUsed: bigint
  readonly transactions: ReadonlyArray<FakeTransaction>
  readonly withdrawals: ReadonlyArray<FakeWithdrawal>
}
