/**
 * What the operator has described of a contract, for its page: name, source, ABI, and the implementation where it is a proxy. It is no
 * operation of the interface, and reads nothing of the index.
 *
 * Source: decisions 0058 and 0059.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ContractAbi from "../../contract/ContractAbi.ts"
import { implementationAt } from "../../contract/ContractDecoder.ts"
import type { Contract } from "../../store/Contracts.ts"
import * as ErrorResponse from "../http/ErrorResponse.ts"
import * as Response from "../http/Response.ts"
import { InvalidParameter } from "../http/InvalidParameter.ts"
import * as OperationRoute from "../rest/OperationRoute.ts"
import type { PageContext } from "./PageContext.ts"

/** A contract with the items of its ABI. */
export interface Described {
  readonly address: string
  readonly name: string
  /** Who described it: `command`, `upload`, or the name of a project's folder. */
  readonly source: string
  readonly abi: ReadonlyArray<ContractAbi.Item>
}

/** A contract, and what it delegates to. */
export interface View {
  readonly contract: Described
  /** `null` where it is no proxy, or its implementation is not described. */
  readonly implementation: Described | null
}

/** The view as an operation, for its route. */
const operation = {
  name: "contract",
  method: "GET",
  path: "/api/v2.2/contracts/:contract",
  params: Schema.Struct({ contract: Schema.String.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/)) }),
  query: Schema.Struct({ chain: Schema.optionalKey(Schema.String) }),
  response: Schema.Unknown,
  errors: [],
} as const

/** A path of the operator's machine is not for pages: the last part of it names the project. */
const sourceOf = (source: string): string => source.split(/[\\/]/).findLast((part) => part !== "") ?? source

const describe = ({ abi, name, source }: Contract, address: string): Described => ({
  address,
  name,
  source: sourceOf(source),
  abi: Result.getOrElse(ContractAbi.fromText(abi), () => ContractAbi.empty).items,
})

/** What is known of an address; `null` where it is not described. */
export const find = (address: string, contracts: ReadonlyArray<Contract>): View | null => {
  const of = (wanted: string) => contracts.find((contract) => contract.address === wanted)
  const contract = of(address)
  if (contract === undefined) return null
  const behind = implementationAt(contract, Number.POSITIVE_INFINITY)
  const implementation = behind === undefined ? undefined : of(behind)
  return {
    contract: describe(contract, address),
    implementation: implementation === undefined ? null : describe(implementation, behind!),
  }
}

/** The route of the view. */
export const route = ({ authentication, chainOf, contracts }: PageContext) => {
  const handler: OperationRoute.Handler<typeof operation> = ({ caller, params, query }) => {
    const chain = chainOf(query.chain)
    if (Result.isFailure(chain)) return ErrorResponse.badRequest(InvalidParameter.fromChain(chain.failure))
    return Effect.map(contracts.find(chain.success), (described) => {
      const result = find(params.contract.toLowerCase(), described.contracts)
      return Response.json(JSON.stringify({ result }), { headers: caller.headers })
    })
  }
  return OperationRoute.make(operation, handler, authentication, chainOf)
}
