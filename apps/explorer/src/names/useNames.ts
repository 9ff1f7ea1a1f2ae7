/** Names of addresses, functions and errors in components. */
import type { NamedFunction } from "@daybook/rest/ExplorerClient"
import type { DecodedItem } from "@daybook/rest/promise"
import { useQuery } from "@tanstack/react-query"
import { selectorOf } from "./TransactionKind.ts"
import { useService } from "../service/Service.tsx"
import { find } from "./Names.ts"

/** Time after which the next page shows a label or ABI that was added, in milliseconds. */
const freshMillis = 10_000

/** Maximum length of error data that the service decodes, in characters. */
const maxErrorCharacters = 4_098

const useName = <K extends "address" | "call" | "error">(kind: K, key: string | null) => {
  const { apiKey, chain } = useService()
  return useQuery({
    queryKey: ["name", kind, chain.name, apiKey, key],
    queryFn: () => find(kind, key ?? "", { apiKey, chain: chain.name }),
    enabled: key !== null,
    staleTime: freshMillis,
  }).data
}

/** The label of an address; undefined if it has none. `null` requests nothing. */
export const useLabel = (address: string | null): string | undefined => useName("address", address) ?? undefined

/** The function with the selector of a call; undefined if unknown. */
export const useMethod = (
  to: string | null | undefined,
  input: string | null | undefined,
): NamedFunction | undefined => {
  const selector = selectorOf(input)
  const isCall = to !== null && to !== undefined && selector !== undefined
  return useName("call", isCall ? `${to}:${selector}` : null) ?? undefined
}

/** The error with which a contract call failed; undefined if unknown. */
export const useErrorName = (
  to: string | null | undefined,
  data: string | null | undefined,
): DecodedItem | undefined => {
  const isKnown =
    to !== null && to !== undefined && data !== null && data !== undefined && /^0x(?:[0-9a-f]{2}){4,}$/.test(data)
  const key = isKnown && data.length <= maxErrorCharacters ? `${to}:${data}` : null
  return useName("error", key) ?? undefined
}
