/** The description of a contract by the operator. */
import * as Clients from "../../service/Clients.ts"
import { useRest, useService } from "../../service/Service.tsx"

/** The description of a contract with its ABI, read once for all parts of its page. */
export const useContract = (address: string, enabled = true) => {
  const { apiKey } = useService()
  return useRest(
    ["contract", address],
    async (_client, chain, signal) =>
      (await Clients.explorer(apiKey)).contract({ contract: address, chain }, { signal }),
    { enabled },
  )
}
