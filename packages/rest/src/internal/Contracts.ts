/** The operations of the client on descriptions of contracts. */
import type { DescribedContract, RemovedContract } from "@daybook/schema/Contract"
import * as ChangeOperation from "@daybook/schema/ChangeOperation"
import type { SingleOperation } from "../Operation.ts"
import * as Query from "../Query.ts"

export const putContract: SingleOperation<Query.DescriptionQuery, DescribedContract> = {
  contract: ChangeOperation.putContract,
  encode: Query.encodePutContract,
}

export const removeContract: SingleOperation<Query.ContractQuery, RemovedContract> = {
  contract: ChangeOperation.removeContract,
  encode: Query.encodeRemoveContract,
}
