/**
 * Compares the RPC client with viem on ganache, a second node implementation besides anvil: `node tooling/nodes/compare.ts`.
 * Ganache is installed here, outside the workspace, on the first run; it listens on a free port of 127.0.0.1.
 */
import { createRequire } from "node:module"
import { compare } from "../chain/test/sameAsViem.ts"
import * as PeerInstall from "../bench/PeerInstall.ts"

interface Server {
  readonly listen: (port: number, host: string) => Promise<void>
  readonly address: () => { readonly port: number }
  readonly close: () => Promise<void>
}

PeerInstall.install(import.meta.dirname)
const { default: ganache } = createRequire(import.meta.url)("ganache") as {
  readonly default: { readonly server: (options: object) => Server }
}
const server = ganache.server({ logging: { quiet: true }, wallet: { seed: "daybook" }, chain: { chainId: 1337 } })
await server.listen(0, "127.0.0.1")
try {
  const { found, compared, client } = await compare(`http://127.0.0.1:${server.address().port}`)
  for (const [method, count] of Object.entries(compared)) {
    console.log(`${method.padEnd(42)} ${count === 0 ? "not supported" : `${count} fields`}`)
  }
  for (const difference of found) console.log(difference)
  console.log(`${client}: ${found.length} differences`)
  process.exitCode = found.length === 0 ? 0 : 1
} finally {
  await server.close()
}
