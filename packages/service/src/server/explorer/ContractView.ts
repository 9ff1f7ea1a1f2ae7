/**
 * The operator's description of a contract, for its page: name, source, ABI and, for a proxy, the implementation. It reads nothing from the
 * index.
 *
 * Source: decisions 0058 and 0059.
 */
import type { ContractAbiWire, ContractResultWire, ContractViewWire } from "@daybook/schema/ContractView"
import * as ExplorerOperation from "@daybook/schema/ExplorerOperation"
import * as Json from "@daybook/schema/Json"
import * as Effect from "effect/Effect"
import { implementationAt } from "../../contract/ContractDecoder.ts"
import type { Contract } from "../../store/Contracts.ts"
import type { IndexedChain } from "../../query/IndexedChain.ts"
import * as Response from "../http/Response.ts"
import * as OperationRoute from "../rest/OperationRoute.ts"
import type { PageContext } from "./PageContext.ts"

/** Pages must not show a path on the operator's machine; its last part names the project. */
const sourceOf = (source: string): string => source.split(/[\\/]/).findLast((part) => part !== "") ?? source

const describe = ({ abi, name, source }: Contract, address: string): ContractAbiWire => {
  const items = Json.parse(abi)
  // Sound: `ContractAbi` has read what is stored, in the form of the contract.
  return { address, name, source: sourceOf(source), abi: Array.isArray(items) ? (items as ContractAbiWire["abi"]) : [] }
}

/** What is known about an address; `null` if it is not described. */
const find = (address: string, contracts: ReadonlyArray<Contract>): ContractViewWire | null => {
  const contractAt = (wanted: string | undefined) => contracts.find((contract) => contract.address === wanted)
  const contract = contractAt(address)
  if (contract === undefined) return null
  const implementation = contractAt(implementationAt(contract, Number.POSITIVE_INFINITY))
  return {
    contract: describe(contract, address),
    implementation: implementation?.address == null ? null : describe(implementation, implementation.address),
  }
}

/** The route of the view. */
export const route = ({ authentication, chainOf, contracts }: PageContext) => {
  const handler: OperationRoute.Handler<ExplorerOperation.All["contract"], IndexedChain> = ({
    caller,
    chain,
    params,
  }) => {
    return Effect.map(contracts.find(chain), (described) => {
      const body: ContractResultWire = { result: find(params.contract, described.contracts) }
      return Response.json(JSON.stringify(body), { headers: caller.headers })
    })
  }
  return OperationRoute.make(ExplorerOperation.contract, handler, authentication, chainOf)
}
