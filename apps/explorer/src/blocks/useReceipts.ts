/** The receipts of a block by transaction hash, read once for all rows that show an outcome. */
import type { HydratedBlock, Receipt } from "@daybook/rpc/promise"
import { useRpc } from "../service/Service.tsx"

/** The receipts; undefined until they are read. */
export const useReceipts = ({
  hash,
  transactions,
}: Pick<HydratedBlock, "hash" | "transactions">): ReadonlyMap<string, Receipt> | undefined =>
  useRpc(
    ["receipts", hash],
    async (client) => {
      const list = hash === null ? null : await client.eth_getBlockReceipts(hash)
      return new Map((list ?? []).map((receipt) => [receipt.transactionHash as string, receipt]))
    },
    { enabled: hash !== null && transactions.length > 0 },
  ).data
