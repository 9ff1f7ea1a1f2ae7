/**
 * Handler of `ChangeOperation.proveWallet`: starts the comparison of a wallet with the chain, and reports its progress.
 *
 * Source: decision 0050.
 */
import type { ProofProgressWire } from "@daybook/schema/ProofProgress"
import type * as ChangeOperation from "@daybook/schema/ChangeOperation"
import * as Effect from "effect/Effect"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as ServedChain from "../../config/ServedChain.ts"
import * as LedgerScope from "../../proof/LedgerScope.ts"
import type * as Reconciliation from "../../proof/Reconciliation.ts"
import * as Coverage from "../../query/Coverage.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import { holderOf } from "../../store/ApiKeys.ts"
import type { WalletProof } from "../../store/Proofs.ts"
import * as WatchList from "../../store/WatchList.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as Response from "../http/Response.ts"
import * as LedgerText from "./LedgerText.ts"
import * as OperationError from "./OperationError.ts"
import type * as OperationRoute from "./OperationRoute.ts"
import * as ProofJobs from "./ProofJobs.ts"
import * as WalletMovements from "./WalletMovements.ts"

type Request = OperationRoute.Request<typeof ChangeOperation.proveWallet, IndexedChain>

const notOffered = ({ key }: IndexedChain) =>
  ErrorResponse.notOffered(
    `Comparisons not offered: "chains.${key}.proofCallsPerMinute" of this service is 0. Use the operation statement.`,
  )

/** Messages do not name nodes. */
const notMade = (reason: string) => () => ErrorResponse.unavailable(`Comparison not made: ${reason} Retry later.`)

const notIndexed = ({ block, chain, derived }: LedgerScope.NotIndexed) =>
  block === null || derived === null
    ? ErrorResponse.unavailable(`No final block indexed: ${chain} has none yet. Retry later.`)
    : ErrorResponse.badRequest(
        InvalidParameter.fromIssue({
          path: "to_block",
          expected: `an indexed block (${derived.from} to ${derived.to})`,
          received: block.toString(),
        }),
      )

/** A block that is not indexed is rejected. One that is not final is compared once it is. */
const notFinal = (last: number, block: number) =>
  ErrorResponse.badRequest(
    InvalidParameter.fromIssue({
      path: "to_block",
      expected: `a final block, up to ${last}`,
      received: block.toString(),
    }),
  )

const partial = ({ name }: IndexedChain, wallet: string) => {
  const message = `Wallet not comparable: ${wallet} on ${name}, whose index does not have all of its transactions. Use one that was watched from the start.`
  return ErrorResponse.badRequest(new InvalidParameter({ parameter: "address", code: "bad_request", message }))
}

/** Rejects wallets with movements missing from the index, which would appear as differences. */
const requireWhole = Effect.fnUntraced(function* (chain: IndexedChain, wallet: string) {
  const checkpoint = yield* chain.reader.snapshot((snapshot) => snapshot.checkpoint)
  yield* Coverage.checkWallet(chain, checkpoint, wallet)
  if (checkpoint === null) return
  const whole = WatchList.completeWallets(checkpoint)
  if (whole !== null && !whole.has(wallet)) return yield* partial(chain, wallet)
})

/**
 * Whether the last comparison answers a request: it was made at the requested block or later. An incomplete one is repeated when it is
 * requested again.
 */
const isEnough = (proof: WalletProof, atLeast: number | null, { closing }: Reconciliation.Scope): boolean =>
  atLeast === null
    ? proof.block.number >= closing.number && proof.unchecked.length === 0
    : proof.block.number >= atLeast

const textOf = (address: string, block: number, calls: number, proof: WalletProof | null): ProofProgressWire => ({
  address,
  block_number: block.toString(),
  calls: calls.toString(),
  proof: proof === null ? null : LedgerText.proof(proof),
})

/** Makes the handler. */
export const make = (jobs: ProofJobs.ProofJobs) => {
  const scopeOf = Effect.fnUntraced(function* (chain: IndexedChain) {
    const { config, id, name, reader } = chain
    const isToHead = config.rewinds ?? ((yield* jobs.isLocal(chain)) && ServedChain.mayRewind({ config, id }))
    return yield* LedgerScope.read(reader, name, isToHead ? "head" : undefined)
  })

  const progress = Effect.fnUntraced(function* ({ caller, chain, params: { address }, query }: Request) {
    const subject = { chain, wallet: address, holder: holderOf(caller.grant) }
    const atLeast = query.to_block === undefined ? null : Number(query.to_block)
    const running = yield* jobs.find(subject)
    if (running !== undefined) return textOf(address, running.block, running.calls(), null)
    yield* requireWhole(chain, address)
    const blocks = yield* scopeOf(chain)
    if (atLeast !== null && atLeast > blocks.closing.number) return yield* notFinal(blocks.closing.number, atLeast)
    const proof = yield* chain.reader.snapshot((snapshot) => snapshot.proof(address))
    if (proof !== null && isEnough(proof, atLeast, blocks)) return textOf(address, proof.block.number, 0, proof)
    const job = yield* jobs.start(subject, blocks)
    return textOf(address, job.block, job.calls(), null)
  })

  return (request: Request): Effect.Effect<HttpServerResponse, ErrorResponse.ErrorResponse> => {
    if (ProofJobs.callsPerMinute(request.chain) === 0) return notOffered(request.chain)
    const answered = Effect.map(progress(request), (value) =>
      Response.json(JSON.stringify(value), { headers: request.caller.headers }),
    )
    const refused = Effect.catchTags(answered, {
      CallBudgetExceeded: notMade("it takes too many calls."),
      ChainReorganized: notMade("its block was replaced."),
      InvalidOption: notMade("the service has no usable node of the chain."),
      NodeFailed: notMade("no node of the chain answers."),
      NotIndexed: notIndexed,
      QueueFull: OperationError.queueFull("comparisons"),
      UnexpectedFailure: notMade("the service failed; its log has the reason."),
      WrongChain: notMade("the service has no usable node of the chain."),
    })
    return OperationError.answer(refused, WalletMovements.wording)
  }
}
