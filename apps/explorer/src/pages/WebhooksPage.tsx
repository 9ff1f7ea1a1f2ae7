/** The webhooks of the API key (an operator's key lists all webhooks), and the deliveries of the selected one. */
import type { Webhook } from "@daybook/rest/WebhookClient"
import { ErrorNotice, Notice, Page, Panel, Skeleton } from "../display/Page.tsx"
import { useSearch } from "../navigation/Navigation.tsx"
import { ForeignText } from "../text/ForeignText.tsx"
import { tagOf } from "../service/Errors.ts"
import { useWebhooks } from "./webhooks/useWebhooks.ts"
import { WebhookDetail } from "./webhooks/WebhookDetail.tsx"
import { WebhookTable } from "./webhooks/WebhookTable.tsx"

const Empty = () => (
  <p className="empty">
    No webhooks. <code>daybook webhooks add</code> or <code>POST /api/v2.2/webhooks</code> creates one.
  </p>
)

/** A service without webhooks responds as if the operation did not exist. */
const Failure = ({ error, onRetry }: { readonly error: Error; readonly onRetry: () => unknown }) =>
  tagOf(error) === "NotFound" ? (
    <Notice title="This service sends no webhooks">
      <ForeignText text={error.message} />
    </Notice>
  ) : (
    <ErrorNotice error={error} onRetry={onRetry} />
  )

const Selected = ({ id, webhooks }: { readonly id: string; readonly webhooks: ReadonlyArray<Webhook> }) => {
  const webhook = webhooks.find((one) => one.id === id)
  if (webhook !== undefined) return <WebhookDetail webhook={webhook} />
  return (
    <Notice title="No such webhook" tone="warning">
      This API key has no webhook with the id <ForeignText text={id} />.
    </Notice>
  )
}

const Content = () => {
  const { webhook: id } = useSearch()
  const { data, error, refetch } = useWebhooks()
  if (data === undefined) {
    return error === null ? <Skeleton label="webhooks" /> : <Failure error={error} onRetry={refetch} />
  }
  // A single webhook needs no selection.
  const selected = id ?? (data.length === 1 ? data[0]?.id : undefined)
  return (
    <>
      <Panel title="All webhooks">
        {data.length === 0 ? <Empty /> : <WebhookTable webhooks={data} selected={selected} />}
      </Panel>
      {selected === undefined ? null : <Selected id={selected} webhooks={data} />}
    </>
  )
}

export const WebhooksPage = () => (
  <Page title="Webhooks" heading="Webhooks">
    <Content />
  </Page>
)
