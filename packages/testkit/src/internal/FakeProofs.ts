/**
 * Comparisons of a fake service with its node that clients ask for: the first request starts one, and the next one has its result.
 */
import type { ProofProgressWire } from "@daybook/schema/ProofProgress"
import * as RestOperation from "@daybook/schema/RestOperation"
import * as Result from "effect/Result"
import { invalid, type Reply } from "./FakeReply.ts"
import * as FakeRequest from "./FakeRequest.ts"
import * as FakeSums from "./FakeSums.ts"

/** Whether the last comparison is enough, as in the service: one at the requested block or later, else at the last final block. */
const isEnough = (proof: FakeRequest.Proof | undefined, block: number): boolean =>
  proof !== undefined && proof.block.number >= block

/** Starts the comparison of a wallet at the last final block, or states its result. */
export const proveWallet = (index: FakeRequest.FakeIndex, address: string, parameters: URLSearchParams): Reply => {
  const request = FakeRequest.read(index, RestOperation.proveWallet, address, parameters)
  if (Result.isFailure(request)) return request.failure
  const { query, wallet } = request.success
  const refused = FakeRequest.notIndexed(index, wallet)
  if (refused !== undefined) return refused
  const last = FakeRequest.finalized(index.chain)
  const asked = query.to_block === undefined ? last : Number(query.to_block)
  if (asked > last) {
    return invalid({ path: "to_block", expected: `a final block, up to ${last}`, received: String(asked) })
  }
  const started = index.started.get(wallet)
  if (started !== undefined) {
    index.started.delete(wallet)
    index.prove(wallet, started)
  }
  const known = FakeRequest.proofOf(index, wallet)
  const isMade = isEnough(known, asked)
  if (!isMade) index.started.set(wallet, last)
  const body: ProofProgressWire = {
    address: wallet,
    block_number: String(isMade ? known?.block.number : last),
    calls: "0",
    proof: isMade ? FakeSums.proof(index, wallet) : null,
  }
  return { status: 200, body }
}
