/**
 * Measures one client in its own process: `node subject.mjs <client> <url> <milliseconds>` prints one line of JSON. It is copied into a
 * folder where the packed packages and the other clients are installed, so that every client is imported as users import it.
 */
import process from "node:process"

const [name, url, millis] = process.argv.slice(2)
const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
const number = 0x1312d00

/** For each client: its import, and a call of the imported module. */
const subjects = {
  "@daybook/rest": async () => {
    const { createRestClient } = await import("@daybook/rest/promise")
    return () => {
      const rest = createRestClient({ baseUrl: url, apiKey: "key" })
      return async () => (await rest.walletTransactions({ address })).result.length
    }
  },
  moralis: async () => {
    const { default: Moralis } = await import("moralis")
    return () => {
      const started = Moralis.start({ apiKey: "key", evmApiBaseUrl: `${url}/api/v2.2`, logLevel: "off" })
      return async () => {
        await started
        const page = await Moralis.EvmApi.transaction.getWalletTransactionsVerbose({ address, chain: "0x1" })
        return page.result.length
      }
    }
  },
  "@daybook/rpc": async () => {
    const { createRpcClient } = await import("@daybook/rpc/promise")
    return () => {
      const rpc = createRpcClient({ url })
      return async () => (await rpc.eth_getBlockByNumber(number, true)).transactions.length
    }
  },
  viem: async () => {
    const { createPublicClient, http } = await import("viem")
    return () => {
      const client = createPublicClient({ transport: http(url), cacheTime: 0 })
      const query = { blockNumber: BigInt(number), includeTransactions: true }
      return async () => (await client.getBlock(query)).transactions.length
    }
  },
  ethers: async () => {
    const { JsonRpcProvider, Network } = await import("ethers")
    return () => {
      const staticNetwork = Network.from(1)
      const provider = new JsonRpcProvider(url, staticNetwork, { staticNetwork, cacheTimeout: -1, batchStallTime: 0 })
      return async () => (await provider.getBlock(number, true)).prefetchedTransactions.length
    }
  },
}

/** CPU time of this process so far, user and system, in microseconds. */
const cpuMicros = () => {
  const { system, user } = process.cpuUsage()
  return user + system
}

/** CPU time of the main thread alone, without the threads of the garbage collector and the compiler. */
const threadMicros = () => {
  const { system, user } = process.threadCpuUsage()
  return user + system
}

const measure = async (call, millis) => {
  const [start, cpu] = [performance.now(), cpuMicros()]
  let calls = 0
  while (performance.now() - start < millis) {
    await call()
    calls++
  }
  return (cpuMicros() - cpu) / calls
}

const [start, cpu] = [performance.now(), cpuMicros()]
const make = await subjects[name]()
const [imported, importCpu, importThread] = [performance.now(), cpuMicros(), threadMicros()]
const call = make()
const rows = await call()
const [answered, callCpu, callThread] = [performance.now(), cpuMicros(), threadMicros()]
await measure(call, Number(millis))
const micros = await measure(call, Number(millis))
const figures = {
  rows,
  "import ms": imported - start,
  "import CPU ms": (importCpu - cpu) / 1_000,
  "first call ms": answered - imported,
  "first call CPU ms": (callCpu - importCpu) / 1_000,
  "first call thread ms": (callThread - importThread) / 1_000,
  "call CPU us": micros,
}
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0))
