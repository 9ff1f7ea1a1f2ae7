/**
 * What the parameters of each method are called, so that editors show their names. The types come from `RpcMethod.all`; the hydrated
 * flag is named where it is added.
 */

/** Names of the parameters by method, as labels of a tuple; their types are not these. */
export interface Labels {
  readonly eth_getBlockByNumber: [block: unknown]
  readonly eth_getBlockByHash: [hash: unknown]
  readonly eth_getTransactionByBlockHashAndIndex: [blockHash: unknown, index: unknown]
  readonly eth_getTransactionByBlockNumberAndIndex: [block: unknown, index: unknown]
  readonly eth_getTransactionByHash: [hash: unknown]
  readonly eth_getTransactionReceipt: [hash: unknown]
  readonly eth_getTransactionCount: [address: unknown, block: unknown]
  readonly eth_getBalance: [address: unknown, block: unknown]
  readonly eth_getCode: [address: unknown, block: unknown]
  readonly eth_getStorageAt: [address: unknown, slot: unknown, block: unknown]
  readonly eth_call: [call: unknown, block?: unknown, overrides?: unknown]
  readonly eth_estimateGas: [call: unknown, block?: unknown]
  readonly eth_getLogs: [filter: unknown]
  readonly eth_feeHistory: [blockCount: unknown, newest: unknown, percentiles: unknown]
  readonly eth_gasPrice: []
  readonly eth_maxPriorityFeePerGas: []
  readonly eth_getProof: [address: unknown, slots: unknown, block: unknown]
  readonly eth_syncing: []
  readonly net_version: []
  readonly web3_clientVersion: []
  readonly eth_chainId: []
  readonly eth_blockNumber: []
  readonly eth_getBlockReceipts: [block: unknown]
  readonly trace_block: [block: unknown]
  readonly debug_traceBlockByNumber: [block: unknown, options: unknown]
  readonly debug_traceBlockByHash: [hash: unknown, options: unknown]
  readonly debug_traceTransaction: [hash: unknown, options: unknown]
}

/** The parameters `P` under the names `L`. */
export type Labelled<L extends ReadonlyArray<unknown>, P extends ReadonlyArray<unknown>> = {
  [I in keyof L]: I extends keyof P ? P[I] : never
}
