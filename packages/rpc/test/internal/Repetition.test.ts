import * as RpcMethod from "@daybook/schema/RpcMethod"
import { describe, expect, it } from "vitest"
import * as Repetition from "../../src/internal/Repetition.ts"

const reading = [
  ...Object.keys(RpcMethod.all),
  "alchemy_getAssetTransfers",
  "arbtrace_block",
  "debug_getRawHeader",
  "debug_storageRangeAt",
  "debug_traceTransaction",
  "eth_blobBaseFee",
  "eth_callMany",
  "eth_createAccessList",
  "eth_simulateV1",
  "eth_newBlockFilter",
  "eth_newFilter",
  "net_listening",
  "ots_getBlockDetails",
  "trace_filter",
  "txpool_status",
  "zks_estimateFee",
]

const writing = [
  "account_new",
  "personal_newAccount",
  "admin_addPeer",
  "anvil_mine",
  "anvil_setBalance",
  "debug_setHead",
  "eth_getFilterChanges",
  "eth_sendBundle",
  "eth_sendPrivateTransaction",
  "eth_sendRawTransaction",
  "eth_sendTransaction",
  "eth_sendUserOperation",
  "eth_sign",
  "eth_submitWork",
  "evm_increaseTime",
  "evm_mine",
  "evm_revert",
  "hardhat_impersonateAccount",
  "issue",
  "personal_unlockAccount",
  "wallet_sendCalls",
]

describe("Repetition", () => {
  it("isRepeatable: is true for methods that only read, by the names that nodes use", () => {
    expect(reading.filter((method) => !Repetition.isRepeatable(method))).toEqual([])
  })

  it("isRepeatable: is false for methods that write, and for unknown ones", () => {
    expect(writing.filter(Repetition.isRepeatable)).toEqual([])
  })
})
