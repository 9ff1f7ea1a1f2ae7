/** What an address is and holds: kind, balance with its proof, nonce, label. */
import { Badge, ErrorNotice, Fact, Facts, Skeleton } from "../../display/Page.tsx"
import { AddressLink } from "../../display/Links.tsx"
import { Amount, Count } from "../../display/Values.tsx"
import { useLabel } from "../../names/useNames.ts"
import { useRest, useRpc, useService } from "../../service/Service.tsx"
import { type AddressKind, readKind } from "./AddressKind.ts"
import { ProofBadge } from "./ProofBadge.tsx"
import { ForeignText } from "../../display/ForeignText.tsx"

const pollMillis = 3_000

const KindFact = ({ kind }: { readonly kind: AddressKind }) => {
  if (kind._tag === "Account") {
    return (
      <Fact name="Kind">
        <Badge>account</Badge>{" "}
        {kind.delegate === null ? null : (
          <>
            <Badge hint="EIP-7702">delegated</Badge> to <AddressLink address={kind.delegate} />
          </>
        )}
      </Fact>
    )
  }
  return (
    <>
      <Fact name="Kind">
        <Badge>contract</Badge> {kind.proxy === null ? null : <Badge hint={kind.proxy}>proxy</Badge>}{" "}
        {kind.token === null ? null : <Badge>token</Badge>} <Count value={kind.bytes} /> bytes of code
      </Fact>
      {kind.implementation === null ? null : (
        <Fact name="Implementation" hint={`By ${kind.proxy ?? ""}, at the latest block`}>
          <AddressLink address={kind.implementation} isFull withCopy />
        </Fact>
      )}
      {kind.token === null ? null : (
        <Fact name="Token" hint="As the contract describes itself: anyone can choose a name.">
          <ForeignText text={kind.token.name ?? "without a name"} />{" "}
          {kind.token.symbol === undefined ? null : <ForeignText className="symbol" text={kind.token.symbol} />}
          {kind.token.decimals === undefined ? null : <span className="muted"> {kind.token.decimals} decimals</span>}
        </Fact>
      )}
    </>
  )
}

/** What an address is; read once for all parts of its page. */
export const useKind = (address: string) => useRpc(["kind", address], (client) => readKind(client, address))

/** The native balance by the ledger of the service, and whether it was compared with the chain. */
const LedgerBalance = ({ address }: { readonly address: string }) => {
  const { currency } = useService().chain
  const { data, error } = useRest(
    ["balances", address, "native"],
    (client, chain, signal) => client.balances({ address, chain, asset: "native" }, { signal }),
    { everyMillis: pollMillis },
  )
  if (data === undefined) return error === null ? "…" : <span className="muted">The ledger is not available.</span>
  const native = data.result.find(({ asset }) => asset === "native")
  return (
    <>
      <Amount amount={native?.balance ?? 0n} decimals={currency.decimals} symbol={currency.symbol} isWhole />{" "}
      {native === undefined ? null : <ProofBadge balance={native} incomplete={data.incomplete} />}
    </>
  )
}

export const AddressFacts = ({ address }: { readonly address: string }) => {
  const { currency } = useService().chain
  const label = useLabel(address)
  const kind = useKind(address)
  const state = useRpc(
    ["state", address],
    async (client) => {
      const [balance, nonce] = await Promise.all([
        client.eth_getBalance(address, "latest"),
        client.eth_getTransactionCount(address, "latest"),
      ])
      return { balance, nonce }
    },
    { everyMillis: pollMillis },
  )
  if (state.data === undefined && state.error !== null)
    return <ErrorNotice error={state.error} onRetry={state.refetch} />
  if (state.data === undefined) return <Skeleton label="the address" rows={4} />
  return (
    <Facts>
      {label === undefined ? null : (
        <Fact name="Label" hint="By the service">
          <ForeignText text={label} />
        </Fact>
      )}
      {kind.data === undefined ? null : <KindFact kind={kind.data} />}
      <Fact name="Balance" hint="By the node, at its latest block">
        <Amount amount={state.data.balance} decimals={currency.decimals} symbol={currency.symbol} isWhole />
      </Fact>
      <Fact name="Movements" hint="Sum of the movements that the service has indexed">
        <LedgerBalance address={address} />
      </Fact>
      <Fact name="Nonce" hint="Transactions that this address sent">
        <Count value={state.data.nonce} />
      </Fact>
    </Facts>
  )
}
