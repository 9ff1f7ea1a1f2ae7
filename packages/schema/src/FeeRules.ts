/**
 * Where the fees of a chain go, and what else changes balances besides transactions, by range of blocks. The row of a chain in
 * `internal/chains.ts` names its rules; they are a separate module so that clients do not download them.
 */

/**
 * Who receives a part of the fees: no account (`burned`), the fee recipient of the block, an account that a log of the transaction names
 * (Polygon), or an account. It is `unknown` if the chain distributes it in ways that neither transactions nor headers show.
 *
 * Source: EIP-1559.
 */
export type FeeReceiver = "burned" | "fee_recipient" | "logged" | "unknown" | { readonly account: string }

/**
 * Where the fees of a range of blocks go.
 *
 * Source: EIP-1559, EIP-4844; OP Stack specification, execution engine.
 */
export interface FeeRules {
  /** Base fee times gas used. */
  readonly baseFee: FeeReceiver
  /** The remaining gas fees; all of them if blocks have no base fee. */
  readonly priorityFee: FeeReceiver
  /** Blob gas used times its price. */
  readonly blobFee: FeeReceiver
  /** OP Stack: fees for data on L1. */
  readonly l1Fee: FeeReceiver
  /** OP Stack: operator fees. */
  readonly operatorFee: FeeReceiver
  /** OP Stack: true if the scalar of the operator fee is multiplied by 100 (Jovian); before, it is divided by a million. */
  readonly isOperatorFeeOfJovian: boolean
  /** Reward of a block mined by proof of work, in wei; 0 for none. */
  readonly blockReward: bigint
  /** True if withdrawals in the header change native balances; on Gnosis they are paid in a token. */
  readonly nativeWithdrawals: boolean
  /**
   * True if a chain changes native balances in ways that neither its transactions nor their traces nor its headers show, so that movements
   * may be missing.
   */
  readonly unstatedChanges: boolean
  /** True if an account other than the sender may pay the fee of a transaction of type 0, and nodes do not report which. */
  readonly unstatedPayers: boolean
}

/**
 * Fee rules that apply from a block and a time until the next range starts.
 *
 * Source: EIP-1559.
 */
export interface FeeRulesRange extends FeeRules {
  /** First block of the range; 0 for the first range. */
  readonly fromBlock: bigint
  /** Time of the first block of the range, in seconds since 1970. Absent means 0. */
  readonly fromTimestamp?: bigint
}

/**
 * Fee rules by range of blocks, oldest first.
 *
 * Source: EIP-1559.
 */
export type FeeRanges = readonly [FeeRulesRange, ...ReadonlyArray<FeeRulesRange>]

const burning: FeeRules = {
  baseFee: "burned",
  priorityFee: "fee_recipient",
  blobFee: "burned",
  l1Fee: "unknown",
  operatorFee: "unknown",
  isOperatorFeeOfJovian: false,
  blockReward: 0n,
  nativeWithdrawals: true,
  unstatedChanges: false,
  unstatedPayers: false,
}

const ether = 10n ** 18n

/** Ethereum's rules without proof of work: base fees and blob fees are burned. Source: EIP-1559, EIP-4844. */
const ethereum: FeeRanges = [{ ...burning, fromBlock: 0n }]

/** Ethereum: rewards of Frontier, Byzantium and Constantinople. Source: EIP-649, EIP-1234. */
const mainnet: FeeRanges = [
  { ...burning, fromBlock: 0n, blockReward: 5n * ether },
  { ...burning, fromBlock: 4_370_000n, blockReward: 3n * ether },
  { ...burning, fromBlock: 7_280_000n, blockReward: 2n * ether },
]

/** Sepolia was mined until its merge. Source: EIP-1234. */
const sepolia: FeeRanges = [{ ...burning, fromBlock: 0n, blockReward: 2n * ether }]

const unknownFees: FeeRules = {
  ...burning,
  baseFee: "unknown",
  priorityFee: "unknown",
  blobFee: "unknown",
  unstatedChanges: true,
}

/** The distribution of fees is not known, or blocks do not show it. */
const unknown: FeeRanges = [{ ...unknownFees, fromBlock: 0n }]

/** An account that always receives a fee. */
const to = (account: string): FeeReceiver => ({ account })

const vaults: FeeRules = {
  ...burning,
  baseFee: to("0x4200000000000000000000000000000000000019"),
  l1Fee: to("0x420000000000000000000000000000000000001a"),
  operatorFee: to("0x420000000000000000000000000000000000001b"),
}

/** OP Stack: fee vaults; the sequencer's vault is the fee recipient. Source: OP Stack specification, fee vaults. */
const opStack = (jovianTimestamp: bigint, bedrockBlock: bigint): FeeRanges => {
  const bedrock = { ...vaults, fromBlock: bedrockBlock }
  const ranges = [bedrock, { ...bedrock, fromTimestamp: jovianTimestamp, isOperatorFeeOfJovian: true }]
  return bedrockBlock === 0n ? [bedrock, ranges[1]!] : [{ ...unknownFees, fromBlock: 0n }, ...ranges]
}

const jovian = 1_764_691_201n
const jovianOfSepolia = 1_763_568_001n

/** Base. */
const base = opStack(jovian, 0n)
/** Base Sepolia. */
const baseSepolia = opStack(jovianOfSepolia, 0n)
/** Optimism, whose blocks before Bedrock have other rules. */
const optimism = opStack(jovian, 105_235_063n)
/** Optimism Sepolia. */
const optimismSepolia = opStack(jovianOfSepolia, 0n)

/** Gnosis: fees that Ethereum burns go to the fee collector, including blob fees since Pectra; the bridge mints without a transaction. */
const gnosisRules = (collector: string, pectraTimestamp: bigint): FeeRanges => {
  const rules = { ...burning, baseFee: to(collector), nativeWithdrawals: false, unstatedChanges: true, fromBlock: 0n }
  return [rules, { ...rules, fromTimestamp: pectraTimestamp, blobFee: to(collector) }]
}

/** Gnosis. Source: Gnosis specifications, EIP-1559 and EIP-4844. */
const gnosis = gnosisRules("0x6bbe78ee9e474842dbd4ab4987b3cefe88426a92", 1_746_021_820n)
/** Chiado. */
const gnosisTestnet = gnosisRules("0x1559000000000000000000000000000000000000", 1_741_254_220n)

/** Polygon: base fees go to a contract, and a log of each transaction names the recipient of the rest. Source: Bor, `params/config.go`. */
const polygonRules = (contracts: ReadonlyArray<readonly [fromBlock: bigint, contract: string]>): FeeRanges => {
  const rules: FeeRules = { ...burning, priorityFee: "logged" }
  return [
    { ...rules, fromBlock: 0n },
    ...contracts.map(([fromBlock, contract]) => ({ ...rules, fromBlock, baseFee: to(contract) })),
  ]
}

/** Polygon. */
const polygon = polygonRules([
  [23_850_000n, "0x70bca57f4579f58670ab2d18ef16e02c17553c38"],
  [50_523_000n, "0x7a8ed27f4c30512326878652d20fc85727401854"],
  [83_756_500n, "0x3ef57def668054dd750bd260526105c4eeef104f"],
])
/** Polygon Amoy. */
const polygonAmoy = polygonRules([
  [0n, "0x000000000000000000000000000000000000dead"],
  [73_100n, "0xecdd77ce6f146ccf5dab707941d318bd50eed2c9"],
])

/** BSC: all fees go to the validator, who distributes them by transactions of the block. Source: BSC, `consensus/parlia`. */
const bsc: FeeRanges = [{ ...burning, fromBlock: 0n, baseFee: "fee_recipient", blobFee: "fee_recipient" }]

/** Avalanche: all fees go to the fee recipient, an account without a key. Source: Avalanche, `coreth`. */
const avalanche: FeeRanges = [{ ...burning, fromBlock: 0n, baseFee: "fee_recipient" }]

/** Kaia: its own transaction types, some of which name a fee payer, have type 0 in `eth_` methods. Source: Kaia, `api/api_eth.go`. */
const kaia: FeeRanges = [{ ...unknownFees, fromBlock: 0n, unstatedPayers: true }]

/**
 * Fee rules by name, as referenced by rows of chains; add new ones at the end. `unknown` applies to chains without a row, and marks what
 * cannot be known.
 *
 * **Example** (Reading the rules of a chain without a row of its own)
 *
 * ```ts
 * import * as FeeRules from "@daybook/schema/FeeRules"
 *
 * console.log(FeeRules.all.ethereum.length) // 1
 * ```
 *
 * Source: decision 0048.
 */
export const all = {
  ethereum,
  mainnet,
  sepolia,
  unknown,
  base,
  baseSepolia,
  optimism,
  optimismSepolia,
  gnosis,
  gnosisTestnet,
  polygon,
  polygonAmoy,
  bsc,
  avalanche,
  kaia,
} as const satisfies Readonly<Record<string, FeeRanges>>

/**
 * Name of the rules of one or more chains.
 *
 * Source: decision 0048.
 */
export type Name = keyof typeof all

/**
 * Returns the rules at a block and its time, in seconds since 1970.
 *
 * **Example** (Reading who receives the base fees of a block)
 *
 * ```ts
 * import * as FeeRules from "@daybook/schema/FeeRules"
 *
 * console.log(FeeRules.at(FeeRules.all.mainnet, 20_000_000n, 1_717_000_000n).baseFee) // burned
 * ```
 *
 * Source: EIP-1559.
 */
export const at = (ranges: FeeRanges, block: bigint, timestamp: bigint): FeeRules =>
  ranges.findLast(({ fromBlock, fromTimestamp = 0n }) => fromBlock <= block && fromTimestamp <= timestamp) ?? ranges[0]

/**
 * Receipt fields that determine the operator fee.
 *
 * Source: OP Stack specification, Isthmus and Jovian.
 */
export interface OperatorFeeParameters {
  /** Gas used by the transaction. */
  readonly gasUsed: bigint
  /** Scalar of the fee. Absent means 0. */
  readonly operatorFeeScalar?: bigint | null | undefined
  /** Constant of the fee, in wei. Absent means 0. */
  readonly operatorFeeConstant?: bigint | null | undefined
}

const million = 1_000_000n

/**
 * Computes the operator fee of a transaction, in wei.
 *
 * **Example** (Computing an operator fee since Jovian)
 *
 * ```ts
 * import * as FeeRules from "@daybook/schema/FeeRules"
 *
 * const rules = FeeRules.at(FeeRules.all.base, 40_000_000n, 1_770_000_000n)
 * console.log(FeeRules.operatorFee({ gasUsed: 21_000n, operatorFeeScalar: 3n, operatorFeeConstant: 7n }, rules)) // 6300007n
 * ```
 *
 * Source: OP Stack specification, Isthmus and Jovian.
 */
export const operatorFee = (
  { gasUsed, operatorFeeConstant, operatorFeeScalar }: OperatorFeeParameters,
  { isOperatorFeeOfJovian }: Pick<FeeRules, "isOperatorFeeOfJovian">,
): bigint => {
  const amount = gasUsed * (operatorFeeScalar ?? 0n)
  return (operatorFeeConstant ?? 0n) + (isOperatorFeeOfJovian ? amount * 100n : amount / million)
}
