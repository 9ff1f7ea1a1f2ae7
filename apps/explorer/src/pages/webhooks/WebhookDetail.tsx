/** One webhook: what it sends and where, its actions, and its last deliveries. */
import type { Webhook } from "@daybook/rest/WebhookClient"
import { AddressLink } from "../../display/Links.tsx"
import { Disclosure, Fact, Facts, Panel } from "../../display/Page.tsx"
import { CopyButton, Count, Time } from "../../display/Values.tsx"
import { useService } from "../../service/Service.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { Deliveries } from "./Deliveries.tsx"
import { WebhookActions } from "./WebhookActions.tsx"
import { State } from "./WebhookTable.tsx"

/** Maximum number of wallets shown without opening the list. */
const shownWallets = 5

const Wallets = ({ address_count, addresses, chain }: Pick<Webhook, "address_count" | "addresses" | "chain">) => {
  const selected = useService().chain.name
  const list = (
    <ul className="moves">
      {addresses.map((address) => (
        <li key={address}>
          {chain === selected ? <AddressLink address={address} /> : <code className="hash">{address}</code>}
        </li>
      ))}
    </ul>
  )
  if (address_count <= shownWallets) return list
  const first = address_count > addresses.length ? `, the first ${addresses.length} shown` : ""
  return <Disclosure title={`${address_count} wallets${first}`}>{list}</Disclosure>
}

const WebhookFacts = ({ webhook }: { readonly webhook: Webhook }) => {
  const { chain, created_at, delivered, failures, finality, next_attempt_at, pause_reason } = webhook
  const { previous_until, public_key, source, types, url } = webhook
  return (
    <Facts>
      <Fact name="State">
        <State {...webhook} />
        {pause_reason === null ? null : (
          <>
            {" "}
            <ForeignText text={pause_reason} />
          </>
        )}
      </Fact>
      <Fact name="Receiver">
        <ForeignText className="value" text={url} />
      </Fact>
      <Fact name="Sends">
        {types.join(", ")} of <ForeignText text={chain} />,{" "}
        {finality === "final" ? "of final blocks" : "of every stored block"}
      </Fact>
      <Fact name="Wallets">
        <Wallets {...webhook} />
      </Fact>
      <Fact name="Delivered">
        <Count value={delivered} />
        {failures === 0 ? null : (
          <>
            , <Count value={failures} /> failed since
          </>
        )}
      </Fact>
      {next_attempt_at === null ? null : (
        <Fact name="Next attempt">
          <Time time={next_attempt_at} form="full" />
        </Fact>
      )}
      <Fact name="Created">
        <Time time={created_at} form="full" /> by {source === "operator" ? "the operator" : "an API key"}
      </Fact>
      <Fact name="Public key" hint="Verifies the signatures made with ed25519.">
        <span className="copyable">
          <code className="hash">
            <ForeignText text={public_key} />
          </code>
          <CopyButton text={public_key} what="public key" />
        </span>
      </Fact>
      {previous_until === null ? null : (
        <Fact name="Previous secret">
          signs until <Time time={previous_until} form="full" />
        </Fact>
      )}
    </Facts>
  )
}

export const WebhookDetail = ({ webhook }: { readonly webhook: Webhook }) => (
  <>
    <Panel title={<ForeignText text={webhook.name} />}>
      <WebhookFacts webhook={webhook} />
      <WebhookActions webhook={webhook} key={webhook.id} />
    </Panel>
    <Deliveries webhook={webhook.id} key={`${webhook.id} deliveries`} />
  </>
)
