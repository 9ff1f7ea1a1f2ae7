/**
 * Handlers of `ChangeOperation.putContract` and `ChangeOperation.removeContract`: names and ABIs uploaded by programs. A body is bounded in
 * bytes, nesting and values before it is parsed. Its ABI is counted before it is read, in steps, and costs requests in proportion to its
 * reading time. The number and size of a chain's descriptions are bounded. The handlers respond once every process of the service decodes
 * with the change.
 *
 * Source: decision 0059.
 */
import * as Contract from "@daybook/schema/Contract"
import * as Issue from "@daybook/schema/Issue"
import type * as ChangeOperation from "@daybook/schema/ChangeOperation"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"
import type { ServedChain } from "../../config/ServedChain.ts"
import * as ContractAbi from "../../contract/ContractAbi.ts"
import * as Steps from "../../supervision/Steps.ts"
import { type Contract as Stored, type Contracts, keyOf } from "../../store/Contracts.ts"
import type { Authentication, Caller } from "../admission/Authentication.ts"
import type { Bounds } from "../admission/Bounds.ts"
import * as ChainContracts from "../chain/ChainContracts.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as Response from "../http/Response.ts"
import * as JsonBody from "./JsonBody.ts"
import type * as OperationRoute from "./OperationRoute.ts"

/** Dependencies of the handlers. */
export interface Options {
  readonly authentication: Authentication["Service"]
  readonly bounds: Bounds["Service"]
  readonly contracts: ChainContracts.ChainContracts["Service"]
  readonly database: Contracts
}

/** Source of uploaded descriptions. */
const source = "upload"

/** Maximum number of contracts of a chain, and of characters in their ABIs, beyond which nothing can be uploaded. */
const maxContracts = 5_000
const maxCharacters = 16 * 1024 * 1024

const { invalid } = JsonBody

/** A description and its cost. */
interface Upload {
  readonly address: string | null
  readonly name: string
  readonly abi: ContractAbi.Counted
  /** Whether it names an address without an ABI. */
  readonly isName: boolean
}

/** Validates a description under its key, and counts its ABI. */
const uploadOf = Effect.fnUntraced(function* (
  key: string,
  { abi, name }: Contract.Description,
): Effect.fn.Return<Upload, ErrorResponse.ErrorResponse> {
  const address = key.startsWith("0x") ? key : null
  if (address !== null && name === undefined) return yield* invalid("name", "the name of the address", "none")
  if (address === null && name !== undefined) {
    return yield* invalid("name", "no name, because the path names the pack", Issue.quote(name))
  }
  const counted = ContractAbi.count(abi ?? [])
  if (Result.isFailure(counted)) return yield* invalid("abi", counted.failure.expected, counted.failure.received)
  return { address, name: name ?? key, abi: counted.success, isName: address !== null && abi === undefined }
})

/** Number of ABI types covered by one request, which take one to two milliseconds to read. */
const typesPerRequest = 512

/** The handlers. */
interface Handlers {
  readonly putContract: OperationRoute.Handler<typeof ChangeOperation.putContract>
  readonly removeContract: OperationRoute.Handler<typeof ChangeOperation.removeContract>
}

/** Makes the handlers. */
export const make = ({ authentication, bounds, contracts, database }: Options): Handlers => {
  // Changes are serialised, so that together they stay within the bounds.
  const permit = Semaphore.makeUnsafe(1)

  const readBody = JsonBody.reader({ authentication, bounds }, Contract.Description)

  /** Rejects what exceeds the bounds of a chain. A replaced description counts in addition to its replacement. */
  const checkRoom = Effect.fnUntraced(function* (chain: ServedChain, { abi }: Stored) {
    const usage = yield* database.usage(chain)
    if (usage.contracts < maxContracts && usage.characters + abi.length <= maxCharacters) return
    const bound = `at most ${maxContracts} descriptions and ${maxCharacters} characters of ABIs on ${chain.name}`
    return yield* invalid(
      "",
      bound,
      `${usage.contracts} with ${usage.characters} characters plus one more; remove some`,
    )
  })

  /** Charges the rate limit for an ABI, in addition to the call itself; succeeds with what is left of the limit. */
  const pay = Effect.fnUntraced(function* ({ grant, headers }: Caller, { types }: ContractAbi.Counted) {
    const requests = Math.min(authentication.burstOf(grant), Math.floor(types / typesPerRequest))
    if (requests === 0) return headers
    const decision = yield* authentication
      .take(grant, requests)
      .pipe(Effect.catch(({ message }) => ErrorResponse.unavailable(message)))
    if (decision.isAllowed) return decision.headers
    return yield* ErrorResponse.rateLimited(authentication.limitMessage(decision), decision.headers)
  })

  /** Reads and stores an upload; succeeds with its number of items. */
  const write = Effect.fnUntraced(function* (chain: ServedChain, { abi: counted, address, isName, name }: Upload) {
    const abi = yield* Steps.run(() => ContractAbi.read(counted))
    if (!isName && abi.items.length === 0) {
      return yield* invalid("abi", "functions, events or errors that can be decoded", "none")
    }
    const stored = { address, name, source, abi: JSON.stringify(abi.items), implementations: [] }
    yield* checkRoom(chain, stored)
    const described = yield* contracts.find(chain)
    const before = described.contracts.find((contract) => keyOf(contract) === keyOf(stored))
    contracts.keep(chain, stored.abi, abi)
    yield* database.put(chain, [{ ...stored, implementations: before?.implementations ?? [] }])
    return abi.items.length
  })

  const applied = <A, E>(change: Effect.Effect<A, E>) =>
    Effect.tap(permit.withPermit(change), () => Effect.sleep(ChainContracts.checkMillis))

  const respond = (value: object, headers: Response.Headers) => Response.json(JSON.stringify(value), { headers })

  const putContract: Handlers["putContract"] = Effect.fnUntraced(function* ({ caller, chain, params }) {
    const { headers, value } = yield* readBody(caller)
    const upload = yield* uploadOf(params.contract, value)
    const remaining = yield* pay({ ...caller, headers }, upload.abi)
    const items = yield* applied(Effect.catchTag(write(chain, upload), "StoreError", ErrorResponse.fromStore))
    return respond({ contract: params.contract, name: upload.name, items: String(items) }, remaining)
  })

  const removeContract: Handlers["removeContract"] = Effect.fnUntraced(function* ({ caller, chain, params }) {
    const { contract } = params
    const key = keyOf({ address: contract.startsWith("0x") ? contract : null, name: contract })
    const removal = database.remove(chain, [key]).pipe(Effect.catch(ErrorResponse.fromStore))
    const removed = yield* applied(removal)
    return respond({ contract, removed: removed.length > 0 }, caller.headers)
  })

  return { putContract, removeContract }
}
