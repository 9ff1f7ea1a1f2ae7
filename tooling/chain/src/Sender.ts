/**
 * Sends planned transactions in order and mines them in groups, tracking the nonce of each account.
 *
 * The node signs the transactions; only the authorisations of type 4 transactions are signed here, with keys of the node's
 * mnemonic. After each block it verifies that every transaction is included and ended as planned.
 */
import { pbkdf2Sync } from "node:crypto"
import { Effect, Schema } from "effect"
import { bytesToHex, numberToHex } from "viem"
import type { Hex } from "viem"
import { HDKey, signAuthorization } from "viem/accounts"
import type * as Anvil from "./Anvil.ts"
import * as Blob from "./Blob.ts"
import * as Contracts from "./Contracts.ts"
import type * as Random from "@daybook/testkit/internal/Random"
import type { RpcFailure } from "@daybook/harness/Rpc"
import * as Rpc from "@daybook/harness/Rpc"

/** A transaction before nonce, fees and signature are added. */
export interface Planned {
  /** Index of the signing account. */
  readonly account: number
  /** Recipient; absent for a contract creation. */
  readonly to?: Hex
  readonly data?: Hex
  readonly valueWei?: bigint
  /** Gas limit. */
  readonly gas: number
  /** Transaction type; chosen among 0, 1 and 2 when absent. */
  readonly type?: 0 | 1 | 2 | 3 | 4
  /** EIP-7702 authorisation of an account to use the code at `delegate`. Needs type 4. */
  readonly authorization?: { readonly account: number; readonly delegate: Hex }
  /** Whether the transaction is expected to revert. Default false. */
  readonly reverts?: boolean
}

/** A transaction included in a block. */
export interface MinedTransaction {
  readonly label: string
  readonly hash: Hex
  readonly planned: Planned
}

/** A transaction is missing from its block or did not end as planned. */
export class ScenarioFailed extends Schema.TaggedError<ScenarioFailed>()("ScenarioFailed", {
  message: Schema.String,
}) {}

export interface Sender {
  /** Number of transactions queued for the next block. */
  readonly queued: () => number
  /** Number of the next block. */
  readonly nextBlock: () => number
  /** Queues a transaction, mining first if the block is full; returns its nonce and the address it creates, if any. */
  readonly send: (
    label: string,
    planned: Planned,
  ) => Effect.Effect<{ readonly nonce: number; readonly created?: Hex }, RpcFailure | ScenarioFailed>
  /** Mines the queued transactions, if any. */
  readonly mine: Effect.Effect<void, RpcFailure | ScenarioFailed>
  /** Transactions mined so far, in order. */
  readonly mined: ReadonlyArray<MinedTransaction>
}

interface Receipt {
  readonly transactionHash: Hex
  readonly status: Hex
}

interface Queued {
  readonly label: string
  readonly planned: Planned
  readonly request: Readonly<Record<string, unknown>>
}

const gwei = 1_000_000_000n

/** Private key of an account of a mnemonic: BIP-39 without a passphrase, BIP-44 path of Ethereum. */
const privateKey = (mnemonic: string, account: number): Hex => {
  const root = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, "mnemonic", 2048, 64, "sha512"))
  const { privateKey: bytes } = root.derive(`m/44'/60'/0'/0/${account}`)
  if (bytes === null) throw new Error(`account ${account} has no private key`)
  return bytesToHex(bytes)
}

/** Fee fields that select the transaction type. */
const typeFields = (type: 0 | 1 | 2 | 3 | 4, to: Hex | undefined, random: Random.Random) => {
  const gasPrice = numberToHex(random.amount(5n * gwei, 20n * gwei))
  if (type === 0) return { gasPrice }
  if (type === 1) return { gasPrice, accessList: [{ address: to, storageKeys: [`0x${"00".repeat(32)}`] }] }
  const maxPriorityFeePerGas = numberToHex(random.amount(gwei, 3n * gwei))
  const fees = { maxFeePerGas: numberToHex(30n * gwei), maxPriorityFeePerGas }
  if (type === 3) return { ...fees, type: "0x3", maxFeePerBlobGas: numberToHex(10n * gwei), ...Blob.fields() }
  return { ...fees, type: numberToHex(type) }
}

const chooseType = (to: Hex | undefined, random: Random.Random): 0 | 1 | 2 => {
  const share = random.next()
  if (share < 0.12) return 0
  return share < 0.2 && to !== undefined ? 1 : 2
}

/** The parameters of `eth_sendTransaction`. */
const requestOf = (
  { data, gas, to, type, valueWei = 0n }: Planned,
  more: { readonly from: Hex; readonly nonce: number; readonly list: unknown; readonly random: Random.Random },
): Queued["request"] => ({
  from: more.from,
  to,
  input: data,
  value: numberToHex(valueWei),
  gas: numberToHex(gas),
  nonce: numberToHex(more.nonce),
  ...typeFields(type ?? chooseType(to, more.random), to, more.random),
  authorizationList: more.list,
})

/** Signs an EIP-7702 authorisation with a key of the node's mnemonic. */
const signAuthorizationList = (
  node: Anvil.Node,
  { account, delegate }: NonNullable<Planned["authorization"]>,
  nonce: number,
) =>
  Effect.promise(async () => {
    const signed = await signAuthorization({
      address: delegate,
      chainId: node.chainId,
      nonce,
      privateKey: privateKey(node.mnemonic, account),
    })
    const { r, s, yParity = 0 } = signed
    const quantities = { chainId: node.chainId, nonce: signed.nonce, yParity }
    const hex = Object.fromEntries(Object.entries(quantities).map(([key, value]) => [key, numberToHex(value)]))
    return [{ ...hex, address: delegate, r: numberToHex(BigInt(r)), s: numberToHex(BigInt(s)) }]
  })

/** The queued transactions as mined; fails when one is missing from the block or did not end as planned. */
const verify = (
  block: number,
  queued: ReadonlyArray<Queued>,
  hashes: ReadonlyArray<Hex>,
  receipts: ReadonlyArray<Receipt>,
): Effect.Effect<ReadonlyArray<MinedTransaction>, ScenarioFailed> =>
  Effect.forEach(queued, ({ label, planned }, index) => {
    const receipt = receipts[index]
    if (receipt === undefined || receipt.transactionHash !== hashes[index]) {
      return new ScenarioFailed({ message: `Transaction missing from block ${block} at index ${index}: ${label}.` })
    }
    if ((receipt.status === "0x1") === (planned.reverts === true)) {
      const message = `Unexpected status of ${label} (${receipt.transactionHash}): ${receipt.status}.`
      return new ScenarioFailed({ message })
    }
    return Effect.succeed({ label, hash: receipt.transactionHash, planned })
  })

/** Makes a sender over all accounts of a node; `size` is the number of transactions in a full block. */
export const make = Effect.fn("Sender.make")(function* (
  node: Anvil.Node,
  options: { readonly size: number; readonly random: Random.Random; readonly onBlock: (mined: number) => void },
): Effect.fn.Return<Sender, RpcFailure> {
  const { size, random } = options
  const counts = node.accounts.map((address) => ({ method: "eth_getTransactionCount", params: [address, "latest"] }))
  const nonces = (yield* Rpc.batch<Hex>(node.url, counts)).map(Number)
  const head = yield* node.call<{ readonly number: Hex; readonly gasLimit: Hex }>("eth_getBlockByNumber", [
    "latest",
    false,
  ])
  const gasLimit = Number(head.gasLimit)
  let next = Number(head.number) + 1
  let queued: Array<Queued> = []
  let queuedGas = 0
  const mined: Array<MinedTransaction> = []

  const takeNonce = (account: number): number => {
    const nonce = nonces[account] ?? 0
    nonces[account] = nonce + 1
    return nonce
  }

  const mine = Effect.gen(function* () {
    if (queued.length === 0) return
    const calls = queued.map(({ request }) => ({ method: "eth_sendTransaction", params: [request] }))
    const hashes = yield* Rpc.batch<Hex>(node.url, calls)
    yield* node.call("evm_mine")
    const receipts = yield* node.call<ReadonlyArray<Receipt>>("eth_getBlockReceipts", [numberToHex(next)])
    mined.push(...(yield* verify(next, queued, hashes, receipts)))
    queued = []
    queuedGas = 0
    next += 1
    options.onBlock(mined.length)
  })

  const send: Sender["send"] = Effect.fn("Sender.send")(function* (label, planned) {
    const { account, authorization, gas, to } = planned
    if (queuedGas + gas > gasLimit) yield* mine
    const from = node.accounts[account] as Hex
    const nonce = takeNonce(account)
    const list =
      authorization === undefined
        ? undefined
        : yield* signAuthorizationList(node, authorization, takeNonce(authorization.account))
    const request = requestOf(planned, { from, nonce, list, random })
    queued.push({ label, planned, request })
    queuedGas += gas
    // An authorisation changes a nonce that the node's pool does not anticipate, so it ends the block.
    if (queued.length >= size || authorization !== undefined) yield* mine
    return to === undefined ? { nonce, created: Contracts.createdAddress(from, nonce) } : { nonce }
  })

  return { queued: () => queued.length, nextBlock: () => next, send, mine, mined }
})
