/** The operations of the client on descriptions of contracts. */
import type { DescribedContract, RemovedContract } from "@daybook/schema/Contract"
import * as RestOperation from "@daybook/schema/RestOperation"
import type { SingleOperation } from "../Operation.ts"
import * as Query from "../Query.ts"

export const putContract: SingleOperation<Query.DescriptionQuery, DescribedContract> = {
  contract: RestOperation.putContract,
  encode: Query.encodePutContract,
}

export const removeContract: SingleOperation<Query.ContractQuery, RemovedContract> = {
  contract: RestOperation.removeContract,
  encode: Query.encodeRemoveContract,
}
