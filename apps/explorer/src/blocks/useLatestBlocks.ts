/** Follows the head of the selected chain. */
import type { HydratedBlock, RpcClient } from "@daybook/rpc/promise"
import { useEffect, useState } from "react"
import { refreshNow } from "../display/Clock.ts"
import { useRpc, useService } from "../service/Service.tsx"
import { add, has, type LatestBlocks } from "./LatestBlocks.ts"

/** Blocks on screen. */
const maxBlocks = 12

interface Followed {
  readonly chain: string
  readonly blocks: LatestBlocks<HydratedBlock>
}

/** The head and its ancestors down to a known block. */
const readBranch = async (client: RpcClient, known: Followed["blocks"]): Promise<ReadonlyArray<HydratedBlock>> => {
  const head = await client.eth_getBlockByNumber("latest", true)
  if (head === null || head.hash === null || head.number === null) return []
  if (has(known, head.hash)) return [head]
  if (known.length === 0) {
    const count = Math.min(maxBlocks - 1, Number(head.number))
    const numbers = Array.from({ length: count }, (_, at) => head.number! - 1n - BigInt(at))
    const older = await Promise.all(numbers.map((number) => client.eth_getBlockByNumber(number, true)))
    const branch = [head]
    for (const block of older) if (block !== null && block.hash === branch.at(-1)?.parentHash) branch.push(block)
    return branch
  }
  const branch = [head]
  for (let last = head; branch.length < maxBlocks && !has(known, last.parentHash);) {
    const parent = await client.eth_getBlockByHash(last.parentHash, true)
    if (parent === null) break
    branch.push(parent)
    last = parent
  }
  return branch
}

/** The latest blocks, including reverted ones, and the error if reading them failed. */
export const useLatestBlocks = (): { readonly blocks: Followed["blocks"]; readonly error: unknown } => {
  const { chain } = useService()
  const [followed, setFollowed] = useState<Followed>({ chain: chain.name, blocks: [] })
  const known = followed.chain === chain.name ? followed.blocks : []
  const { data, error } = useRpc(["head"], (client) => readBranch(client, known), { isLive: true })
  useEffect(() => {
    if (data === undefined || data.length === 0) return
    refreshNow()
    setFollowed(({ blocks, chain: name }) => ({
      chain: chain.name,
      blocks: add(name === chain.name ? blocks : [], data, maxBlocks),
    }))
  }, [chain.name, data])
  return { blocks: known, error }
}
