/**
 * Fills blocks: keeps the nonce of each account, sends planned transactions in order and mines them in groups.
 *
 * The node signs everything with its own accounts; only the authorisations of type 4 transactions are signed here, with
 * keys of the node's mnemonic. It checks after each block that every transaction is in it and ended as planned.
 */
import { pbkdf2Sync } from "node:crypto"
import { Effect, Schema } from "effect"
import { bytesToHex, numberToHex } from "viem"
import type { Hex } from "viem"
import { HDKey, signAuthorization } from "viem/accounts"
import type * as Anvil from "./Anvil.ts"
import * as Blob from "./Blob.ts"
import * as Contracts from "./Contracts.ts"
import type * as Random from "@daybook/testkit/Random"
import type { RpcFailure } from "@daybook/testkit/Rpc"
import * as Rpc from "@daybook/testkit/Rpc"

/** What a plan says of one transaction; nonce, fees and signature are the sender's. */
export interface Planned {
  /** Index of the signing account among the node's. */
  readonly account: number
  /** Recipient; absent for a contract creation. */
  readonly to?: Hex
  readonly data?: Hex
  readonly valueWei?: bigint
  /** Gas limit. */
  readonly gas: number
  /** Transaction type; drawn among 0, 1 and 2 when absent. */
  readonly type?: 0 | 1 | 2 | 3 | 4
  /** EIP-7702: the account that lends itself the code at `delegate`. Needs type 4. */
  readonly authorization?: { readonly account: number; readonly delegate: Hex }
  /** Whether it is meant to revert. Default false. */
  readonly reverts?: boolean
}

/** A transaction in a block. */
export interface Sent {
  readonly label: string
  readonly hash: Hex
  readonly planned: Planned
}

/** The node did not do what the plan expects: a transaction is missing from its block or ended differently. */
export class ScenarioFailed extends Schema.TaggedError<ScenarioFailed>()("ScenarioFailed", {
  message: Schema.String,
}) {}

export interface Sender {
  /** Number of transactions waiting for the next block. */
  readonly waiting: () => number
  /** Number of the next block. */
  readonly nextBlock: () => number
  /** Queues a transaction and mines first if the block is full; returns its nonce and the address it creates, if any. */
  readonly send: (
    label: string,
    planned: Planned,
  ) => Effect.Effect<{ readonly nonce: number; readonly created?: Hex }, RpcFailure | ScenarioFailed>
  /** Mines what waits, if anything. */
  readonly mine: Effect.Effect<void, RpcFailure | ScenarioFailed>
  /** Everything mined so far, in order. */
  readonly sent: ReadonlyArray<Sent>
}

interface Receipt {
  readonly transactionHash: Hex
  readonly status: Hex
}

interface Waiting {
  readonly label: string
  readonly planned: Planned
  readonly request: Readonly<Record<string, unknown>>
}

const gwei = 1_000_000_000n

/** Private key of one account of a mnemonic (BIP-39 without a passphrase, BIP-44 path of Ethereum). */
const privateKey = (mnemonic: string, account: number): Hex => {
  const root = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, "mnemonic", 2048, 64, "sha512"))
  const { privateKey: bytes } = root.derive(`m/44'/60'/0'/0/${account}`)
  if (bytes === null) throw new Error(`account ${account} has no private key`)
  return bytesToHex(bytes)
}

/** The fee fields that make the node choose a transaction type. */
const typeFields = (type: 0 | 1 | 2 | 3 | 4, to: Hex | undefined, random: Random.Random) => {
  const gasPrice = numberToHex(random.amount(5n * gwei, 20n * gwei))
  if (type === 0) return { gasPrice }
  if (type === 1) return { gasPrice, accessList: [{ address: to, storageKeys: [`0x${"00".repeat(32)}`] }] }
  const maxPriorityFeePerGas = numberToHex(random.amount(gwei, 3n * gwei))
  const fees = { maxFeePerGas: numberToHex(30n * gwei), maxPriorityFeePerGas }
  if (type === 3) return { ...fees, type: "0x3", maxFeePerBlobGas: numberToHex(10n * gwei), ...Blob.fields() }
  return { ...fees, type: numberToHex(type) }
}

const drawType = (to: Hex | undefined, random: Random.Random): 0 | 1 | 2 => {
  const drawn = random.next()
  if (drawn < 0.12) return 0
  return drawn < 0.2 && to !== undefined ? 1 : 2
}

/** Makes a sender over all accounts of a node; `size` is the number of transactions that fill a block. */
export const make = Effect.fn("Sender.make")(function* (
  node: Anvil.Node,
  options: { readonly size: number; readonly random: Random.Random; readonly onBlock: (sent: number) => void },
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
  let waiting: Array<Waiting> = []
  let waitingGas = 0
  const sent: Array<Sent> = []

  const takeNonce = (account: number): number => {
    const nonce = nonces[account] ?? 0
    nonces[account] = nonce + 1
    return nonce
  }

  const authorize = ({ account, delegate }: NonNullable<Planned["authorization"]>) =>
    Effect.promise(async () => {
      const signed = await signAuthorization({
        address: delegate,
        chainId: node.chainId,
        nonce: takeNonce(account),
        privateKey: privateKey(node.mnemonic, account),
      })
      const { r, s, yParity = 0 } = signed
      const quantities = { chainId: node.chainId, nonce: signed.nonce, yParity }
      const hex = Object.fromEntries(Object.entries(quantities).map(([key, value]) => [key, numberToHex(value)]))
      return [{ ...hex, address: delegate, r: numberToHex(BigInt(r)), s: numberToHex(BigInt(s)) }]
    })

  const check = (block: number, hashes: ReadonlyArray<Hex>, receipts: ReadonlyArray<Receipt>) =>
    Effect.forEach(waiting, ({ label, planned }, index) => {
      const receipt = receipts[index]
      if (receipt === undefined || receipt.transactionHash !== hashes[index]) {
        return new ScenarioFailed({ message: `block ${block} does not hold ${label} at index ${index}` })
      }
      if ((receipt.status === "0x1") === (planned.reverts === true)) {
        const message = `${label} (${receipt.transactionHash}) ended with status ${receipt.status}, which is not the plan`
        return new ScenarioFailed({ message })
      }
      sent.push({ label, hash: receipt.transactionHash, planned })
      return Effect.void
    })

  const mine = Effect.gen(function* () {
    if (waiting.length === 0) return
    const calls = waiting.map(({ request }) => ({ method: "eth_sendTransaction", params: [request] }))
    const hashes = yield* Rpc.batch<Hex>(node.url, calls)
    yield* node.call("evm_mine")
    const receipts = yield* node.call<ReadonlyArray<Receipt>>("eth_getBlockReceipts", [numberToHex(next)])
    yield* check(next, hashes, receipts)
    waiting = []
    waitingGas = 0
    next += 1
    options.onBlock(sent.length)
  })

  const send: Sender["send"] = Effect.fn("Sender.send")(function* (label, planned) {
    if (waitingGas + planned.gas > gasLimit) yield* mine
    const from = node.accounts[planned.account] as Hex
    const nonce = takeNonce(planned.account)
    const authorizationList = planned.authorization === undefined ? undefined : yield* authorize(planned.authorization)
    const request = {
      from,
      ...(planned.to === undefined ? {} : { to: planned.to }),
      ...(planned.data === undefined ? {} : { input: planned.data }),
      value: numberToHex(planned.valueWei ?? 0n),
      gas: numberToHex(planned.gas),
      nonce: numberToHex(nonce),
      ...typeFields(planned.type ?? drawType(planned.to, random), planned.to, random),
      ...(authorizationList === undefined ? {} : { authorizationList }),
    }
    waiting.push({ label, planned, request })
    waitingGas += planned.gas
    // An authorisation moves a nonce that the node's pool does not see coming, so the block ends with it.
    if (waiting.length >= size || planned.authorization !== undefined) yield* mine
    return planned.to === undefined ? { nonce, created: Contracts.createdAddress(from, nonce) } : { nonce }
  })

  return { waiting: () => waiting.length, nextBlock: () => next, send, mine, sent }
})
