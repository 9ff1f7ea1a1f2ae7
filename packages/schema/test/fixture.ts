/** Small handwritten wire values, in the form of the interface's own examples. */
export const hash = (digit: string) => `0x${digit.repeat(64)}`
export const address = (digit: string) => `0x${digit.repeat(40)}`

export const legacy = {
  blockHash: hash("b"),
  blockNumber: "0x10",
  from: address("1"),
  to: address("2"),
  gas: "0x5208",
  gasPrice: "0x3b9aca00",
  hash: hash("a"),
  input: "0x",
  nonce: "0x7",
  transactionIndex: "0x0",
  value: "0xde0b6b3a7640000",
  type: "0x0",
  chainId: "0x1",
  v: "0x25",
  r: "0x0abc",
  s: "0x1",
}

const { gasPrice, ...withoutPrice } = legacy
export const feeMarket = {
  ...withoutPrice,
  gasPrice,
  type: "0x2",
  maxFeePerGas: "0x77359400",
  maxPriorityFeePerGas: "0x1",
  accessList: [{ address: address("3"), storageKeys: [hash("4")] }],
  yParity: "0x1",
  v: "0x1",
}

export const block = {
  number: "0x10",
  hash: hash("b"),
  parentHash: hash("c"),
  nonce: "0x0000000000000042",
  sha3Uncles: hash("d"),
  logsBloom: `0x${"00".repeat(256)}`,
  transactionsRoot: hash("e"),
  stateRoot: hash("f"),
  receiptsRoot: hash("0"),
  miner: address("5"),
  difficulty: "0x0",
  totalDifficulty: "0xc70d815d562d3cfa955",
  extraData: "0x6265",
  size: "0x220",
  gasLimit: "0x1c9c380",
  gasUsed: "0x5208",
  timestamp: "0x65000000",
  uncles: [] as ReadonlyArray<string>,
  transactions: [hash("a")],
}

export const log = {
  address: address("3"),
  topics: [hash("1"), hash("2")],
  data: "0x00",
  blockNumber: "0x10",
  blockHash: hash("b"),
  transactionHash: hash("a"),
  transactionIndex: "0x0",
  logIndex: "0x5",
  removed: false,
}

export const receipt = {
  transactionHash: hash("a"),
  transactionIndex: "0x0",
  blockHash: hash("b"),
  blockNumber: "0x10",
  from: address("1"),
  to: address("2"),
  cumulativeGasUsed: "0x5208",
  gasUsed: "0x5208",
  effectiveGasPrice: "0x3b9aca00",
  contractAddress: null,
  logs: [log],
  logsBloom: `0x${"00".repeat(256)}`,
  status: "0x1",
  type: "0x2",
}

export const decodedEvent = {
  signature: "Transfer(address,address,uint256)",
  label: "Transfer",
  type: "event",
  params: [
    { name: "from", value: "0x48c04ed5691981C42154C6167398f95e8f38a7fF", type: "address" },
    { name: "to", value: "0xeafebA1882a066A4eCcA2F9d596Cd0c4E722BfDa", type: "address" },
    { name: "value", value: "777062616730", type: "uint256" },
  ],
}

export const walletLog = {
  log_index: "5",
  transaction_hash: hash("a"),
  transaction_index: "0",
  address: address("3"),
  data: "0x00",
  topic0: hash("1"),
  topic1: hash("2"),
  topic2: "",
  topic3: "",
  block_timestamp: "2023-02-15T14:51:23.000Z",
  block_number: "16",
  block_hash: hash("b"),
  decoded_event: decodedEvent,
}

export const internalTransaction = {
  transaction_hash: hash("a"),
  block_number: 16,
  block_hash: hash("b"),
  type: "CALL",
  from: address("1"),
  to: address("2"),
  value: "5",
  gas: "467440",
  gas_used: "4822",
  input: "0x",
  output: "0x",
}

export const walletTransaction = {
  hash: hash("a"),
  nonce: "7",
  transaction_index: "0",
  from_address: address("1"),
  to_address: address("2"),
  from_address_label: null,
  to_address_label: "Exchange",
  value: "1000000000000000000",
  gas: "21000",
  gas_price: "1000000000",
  input: "0x",
  receipt_cumulative_gas_used: "21000",
  receipt_gas_used: "21000",
  receipt_contract_address: "",
  receipt_root: "",
  receipt_status: "1",
  block_timestamp: "2023-02-15T14:51:23.000Z",
  block_number: "16",
  block_hash: hash("b"),
  logs: [walletLog],
  decoded_call: null,
  internal_transactions: [internalTransaction],
  roles: ["sender", "token_recipient"],
}

export const walletPage = { cursor: "abc", page: "0", page_size: "100", result: [walletTransaction] }
