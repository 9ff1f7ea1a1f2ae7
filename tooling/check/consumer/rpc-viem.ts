import { daybookTransport } from "@daybook/rpc/viem"
import { createPublicClient } from "viem"
import { apiKey, chain, rpcUrl } from "./service.ts"

const client = createPublicClient({ transport: daybookTransport({ rpcUrl, chain, apiKey }) })
const block = await client.getBlock({ includeTransactions: true })
if (block.number === null) throw new Error("The block has no number.")
console.log(`block ${block.number}`)
