/** Ponder over the recorded chain: every log of the scenario's events with its block, transaction and receipt. */
import { createConfig } from "ponder"
import { parseAbi } from "viem"

const url = process.env["BENCH_URL"] ?? ""
const connectionString = process.env["BENCH_DATABASE"]

export default createConfig({
  database:
    connectionString === undefined
      ? { kind: "pglite", directory: process.env["BENCH_FOLDER"] ?? ".ponder/pglite" }
      : { kind: "postgres", connectionString },
  chains: {
    // Ponder limits requests per second for each URL: these all name the same server.
    bench: { id: 31337, rpc: Array.from({ length: 25 }, (_, index) => `${url}/${index}`), pollingInterval: 100 },
  },
  contracts: {
    All: {
      chain: "bench",
      abi: parseAbi([
        "event Transfer(address indexed from, address indexed to, uint256 value)",
        "event Approval(address indexed owner, address indexed spender, uint256 value)",
        "event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
        "event Sync(uint112 reserve0, uint112 reserve1)",
        "event Deposit(address indexed account, uint256 amount)",
        "event Withdrawal(address indexed account, uint256 amount)",
        "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)",
      ]),
      startBlock: 0,
      endBlock: Number(process.env["BENCH_HEAD"] ?? 0),
      includeTransactionReceipts: true,
    },
  },
})
