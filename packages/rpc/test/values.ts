/** A small, complete block and transaction in wire form. */

export const hash = (digit: string): string => `0x${digit.repeat(64)}`
const address = (digit: string): string => `0x${digit.repeat(40)}`

export const transaction = (change: Readonly<Record<string, unknown>> = {}) => ({
  blockHash: hash("b"),
  blockNumber: "0x5",
  from: address("1"),
  to: address("2"),
  gas: "0x5208",
  gasPrice: "0x3b9aca00",
  hash: hash("c"),
  input: "0x",
  nonce: "0x7",
  transactionIndex: "0x0",
  value: "0xde0b6b3a7640000",
  type: "0x0",
  chainId: "0x1",
  v: "0x26",
  r: "0x0123",
  s: "0x45",
  ...change,
})

export const block = (transactions: ReadonlyArray<unknown> = [hash("c")]) => ({
  number: "0x5",
  hash: hash("b"),
  transactions,
  parentHash: hash("a"),
  nonce: "0x0000000000000000",
  sha3Uncles: hash("d"),
  logsBloom: `0x${"0".repeat(512)}`,
  transactionsRoot: hash("e"),
  stateRoot: hash("f"),
  receiptsRoot: hash("0"),
  miner: address("3"),
  difficulty: "0x0",
  extraData: "0x",
  size: "0x220",
  gasLimit: "0x1c9c380",
  gasUsed: "0x5208",
  timestamp: "0x5",
  uncles: [],
})
