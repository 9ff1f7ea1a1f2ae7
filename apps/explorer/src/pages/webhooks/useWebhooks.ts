/** Webhooks and their deliveries, read again and again, and the calls that change a webhook. */
import type { Webhook, WebhookDelivery, WebhookPromiseClient } from "@daybook/rest/WebhookClient"
import {
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query"
import * as Clients from "../../service/Clients.ts"
import { useService } from "../../service/Service.tsx"

/** How often webhooks are read, in milliseconds: while one of them fails, and otherwise. */
const busyMillis = 2_000
const idleMillis = 10_000

/** Whether a webhook waits for its next attempt. */
const isBusy = (webhooks: ReadonlyArray<Webhook> = []): boolean => webhooks.some(({ state }) => state === "failing")

/** The webhooks of the key; for a key of an operator, all of them. */
export const useWebhooks = (): UseQueryResult<ReadonlyArray<Webhook>> => {
  const { apiKey } = useService()
  return useQuery({
    queryKey: ["webhooks", apiKey, "list"],
    queryFn: async ({ signal }) => (await (await Clients.webhooks(apiKey)).with({ signal }).list()).result,
    refetchInterval: ({ state }) => (isBusy(state.data) ? busyMillis : idleMillis),
  })
}

/** Which attempts are shown. */
export type Result = "all" | "failed"

/** The last attempts of a webhook. */
export const useDeliveries = (webhook: string, result: Result): UseQueryResult<ReadonlyArray<WebhookDelivery>> => {
  const { apiKey } = useService()
  return useQuery({
    queryKey: ["webhooks", apiKey, "deliveries", webhook, result],
    queryFn: async ({ signal }) => {
      const client = (await Clients.webhooks(apiKey)).with({ signal })
      return (await client.deliveries({ webhook, result })).result
    },
    refetchInterval: busyMillis,
  })
}

/** A call that changes a webhook. */
export type Action = (client: WebhookPromiseClient) => Promise<unknown>

/** Runs calls that change webhooks, after each of which they are read again. */
export const useAction = (): UseMutationResult<unknown, Error, Action> => {
  const { apiKey } = useService()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (run: Action) => run(await Clients.webhooks(apiKey)),
    onSettled: () => queries.invalidateQueries({ queryKey: ["webhooks", apiKey] }),
  })
}
