/**
 * The module `contract`: what the operator has described of a contract. There are no sources here, which verification needs.
 *
 * Source: decisions 0059 and 0070.
 */
import * as Effect from "effect/Effect"
import { implementationAt } from "../../contract/ContractDecoder.ts"
import type { Contract } from "../../store/Contracts.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Parameters from "./Parameters.ts"

const notVerified = "Contract source code not verified"

const noAbi = "[]"

/** What is described of the contract of a request, and of its implementation where it is a proxy. */
const described = Effect.fnUntraced(function* (contracts: ChainContracts["Service"], { chain, parameters }: Request) {
  const address = yield* Effect.fromResult(Parameters.address(parameters))
  const all = (yield* contracts.find(chain)).contracts
  const contract = all.find((one) => one.address === address)
  return { address, contract }
})

const abiOf = (contract: Contract | undefined): string | undefined =>
  contract === undefined || contract.abi === noAbi ? undefined : contract.abi

const abi = (contracts: ChainContracts["Service"]): Action["answer"] =>
  Effect.fnUntraced(function* (request) {
    const { contract } = yield* described(contracts, request)
    const text = abiOf(contract)
    return text === undefined ? yield* Envelope.notOk(notVerified) : Envelope.ofResult(text)
  })

const source = (contracts: ChainContracts["Service"]): Action["answer"] =>
  Effect.fnUntraced(function* (request) {
    const { contract } = yield* described(contracts, request)
    const implementation = contract && implementationAt(contract, Number.POSITIVE_INFINITY)
    return Envelope.ofResult([
      {
        SourceCode: "",
        ABI: abiOf(contract) ?? notVerified,
        ContractName: contract?.name ?? "",
        CompilerVersion: "",
        OptimizationUsed: "",
        Runs: "",
        ConstructorArguments: "",
        EVMVersion: "Default",
        Library: "",
        LicenseType: "Unknown",
        Proxy: implementation === undefined ? "0" : "1",
        Implementation: implementation ?? "",
        SwarmSource: "",
      },
    ])
  })

/** The actions. */
export const make = (contracts: ChainContracts["Service"]): Actions => ({
  "contract/getabi": { operation: "walletTransactions", answer: abi(contracts) },
  "contract/getsourcecode": { operation: "walletTransactions", answer: source(contracts) },
})
