/** Webhooks and their deliveries, polled, and the calls that change a webhook. */
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

/** Poll intervals for webhooks, in milliseconds: while one is failing, and otherwise. */
const busyMillis = 2_000
const idleMillis = 10_000

/** Whether any webhook is waiting for its next attempt. */
const isBusy = (webhooks: ReadonlyArray<Webhook> = []): boolean => webhooks.some(({ state }) => state === "failing")

/** The webhooks of the API key; for an operator's key, all webhooks. */
export const useWebhooks = (): UseQueryResult<ReadonlyArray<Webhook>> => {
  const { apiKey } = useService()
  return useQuery({
    queryKey: ["webhooks", apiKey, "list"],
    queryFn: async ({ signal }) => (await (await Clients.webhooks(apiKey)).with({ signal }).list()).result,
    refetchInterval: ({ state }) => (isBusy(state.data) ? busyMillis : idleMillis),
  })
}

/** Filter of the attempts. */
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

/** Runs a call that changes webhooks, then reads them again. */
export const useAction = (): UseMutationResult<unknown, Error, Action> => {
  const { apiKey } = useService()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (run: Action) => run(await Clients.webhooks(apiKey)),
    onSettled: () => queries.invalidateQueries({ queryKey: ["webhooks", apiKey] }),
  })
}
