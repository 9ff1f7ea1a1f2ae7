/**
 * Comparisons of a fake service with its node on request: the first request starts one, the next one returns its result.
 */
import type { ProofProgressWire } from "@daybook/schema/ProofProgress"
import * as ChangeOperation from "@daybook/schema/ChangeOperation"
import * as Result from "effect/Result"
import { invalid, type Reply } from "./FakeReply.ts"
import * as FakeRequest from "./FakeRequest.ts"
import * as FakeSums from "./FakeSums.ts"

/** Starts the comparison of a wallet at the last final block, or returns its result. */
export const proveWallet = (index: FakeRequest.FakeIndex, address: string, parameters: URLSearchParams): Reply => {
  const request = FakeRequest.read(index, ChangeOperation.proveWallet, address, parameters)
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
  // As in the service, a comparison at the requested block or a later one suffices.
  const made = known !== undefined && known.block.number >= asked ? known : undefined
  if (made === undefined) index.started.set(wallet, last)
  const body: ProofProgressWire = {
    address: wallet,
    block_number: String(made === undefined ? last : made.block.number),
    calls: "0",
    proof: made === undefined ? null : FakeSums.proof(index, wallet),
  }
  return { status: 200, body }
}
