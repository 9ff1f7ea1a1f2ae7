/**
 * The module `contract`: where a contract was created, and what the operator has described. Sources, which verification would need, are not
 * available.
 *
 * Source: decisions 0059 and 0070.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { implementationAt } from "../../contract/ContractDecoder.ts"
import * as ContractCreation from "../../query/ContractCreation.ts"
import type { Contract } from "../../store/Contracts.ts"
import type { Turns } from "../admission/Turns.ts"
import type { ChainContracts } from "../chain/ChainContracts.ts"
import type { Action, Actions, Request } from "./Action.ts"
import * as Envelope from "./Envelope.ts"
import * as Lists from "./Lists.ts"
import * as Parameters from "./Parameters.ts"
import * as Rows from "./Rows.ts"

const notVerified = "Contract source code not verified"

const noAbi = "[]"

/** Descriptions of the requested contract and, for a proxy, of its implementation. */
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

/** Maximum number of contracts in one request. */
const maxContracts = 10

/** A creation as a row; the code is empty if the index omitted it. */
const creationRow = (contract: string, { code, document, factory }: ContractCreation.Creation) => ({
  contractAddress: contract,
  contractCreator: document.transaction.from_address,
  txHash: document.transaction.hash,
  blockNumber: document.transaction.block_number,
  timestamp: Rows.secondsOf(document.transaction),
  contractFactory: factory ?? "",
  creationBytecode: code ?? "",
})

const creations = ({ run: inTurn }: Pick<Turns, "run">): Action["answer"] =>
  Effect.fnUntraced(function* ({ chain, parameters }) {
    const texts = (parameters.get("contractaddresses") ?? "").split(",")
    if (texts.length > maxContracts)
      return yield* Envelope.invalid("contractaddresses", `at most ${maxContracts} addresses`)
    const addresses = yield* Effect.fromResult(Result.all(texts.map((text) => Parameters.addressOf(text.trim()))))
    const found = yield* Effect.forEach(addresses, (contract) =>
      Effect.map(ContractCreation.find({ chain, wallet: contract, inTurn }), (creation) =>
        creation === null ? [] : [creationRow(contract, creation)],
      ),
    ).pipe(Effect.catch(Lists.refusalOf))
    const rows = found.flat()
    return rows.length === 0 ? yield* Envelope.none("No data found") : Envelope.ofResult(rows)
  })

/** The actions. */
export const make = (contracts: ChainContracts["Service"], turns: Pick<Turns, "run">): Actions => ({
  "contract/getabi": { operation: "walletTransactions", answer: abi(contracts) },
  "contract/getsourcecode": { operation: "walletTransactions", answer: source(contracts) },
  "contract/getcontractcreation": { operation: "movements", answer: creations(turns) },
})
