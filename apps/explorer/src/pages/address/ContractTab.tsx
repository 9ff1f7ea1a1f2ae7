/** The ABI of a contract: its functions, events and errors, and the source of the description. Read functions can be called. */
import type { AbiItem, ContractAbi } from "@daybook/rest/ExplorerClient"
import { type FormEvent, useState } from "react"
import { signatureOf } from "../../contract/AbiText.ts"
import { decode, encode } from "../../contract/ReadCall.ts"
import { formatInteger } from "../../display/Numbers.ts"
import { AddressLink } from "../../display/Links.tsx"
import { Disclosure, ErrorNotice, Fact, Facts, Notice, Panel, Skeleton } from "../../display/Page.tsx"
import * as Clients from "../../service/Clients.ts"
import { explain } from "../../service/Errors.ts"
import { useService } from "../../service/Service.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"
import { useContract } from "./useContract.ts"

interface Outcome {
  readonly values: ReadonlyArray<string>
  readonly error: string | null
}

const Values = ({ item, values }: { readonly item: AbiItem; readonly values: ReadonlyArray<string> }) => (
  <ul className="moves">
    {values.map((value, at) => (
      <li key={at}>
        <ForeignText
          className="muted"
          text={[item.outputs?.[at]?.type, item.outputs?.[at]?.name].filter(Boolean).join(" ")}
        />{" "}
        <ForeignText className="value" text={value} />
      </li>
    ))}
  </ul>
)

/** Calls a read function at the latest block. */
const ReadForm = ({ address, item }: { readonly address: string; readonly item: AbiItem }) => {
  const { apiKey, chain } = useService()
  const [texts, setTexts] = useState<ReadonlyArray<string>>(item.inputs.map(() => ""))
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const call = async () => {
    try {
      const data = encode(item, texts)
      const output = await (await Clients.rpc(chain.name, apiKey)).eth_call({ to: address, data }, "latest")
      setOutcome({ values: decode(item, output), error: null })
    } catch (error) {
      setOutcome({ values: [], error: explain(error).detail })
    }
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void call()
  }
  return (
    <form className="read-form" onSubmit={onSubmit}>
      {item.inputs.map(({ name, type }, at) => (
        <label key={at}>
          <ForeignText text={[type, name].filter(Boolean).join(" ")} />
          <input
            value={texts[at] ?? ""}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setTexts(texts.with(at, target.value))}
          />
        </label>
      ))}
      <button type="submit" className="button">
        Read
      </button>
      <div role="status">
        {outcome === null ? null : outcome.error === null ? (
          <Values item={item} values={outcome.values} />
        ) : (
          <ForeignText className="reason" text={outcome.error} />
        )}
      </div>
    </form>
  )
}

interface ItemsProps {
  readonly title: string
  readonly items: ReadonlyArray<AbiItem>
  /** Contract whose functions are called; if omitted, items cannot be called. */
  readonly address?: string
}

const Items = ({ address, items, title }: ItemsProps) =>
  items.length === 0 ? null : (
    <Panel title={`${title} (${formatInteger(items.length)})`}>
      <ul className="abi-items">
        {items.map((item) => {
          const signature = (
            <code className="signature">
              <ForeignText text={signatureOf(item)} />
            </code>
          )
          return (
            <li key={signatureOf(item)}>
              {address === undefined ? (
                signature
              ) : (
                <Disclosure title={signature}>
                  <ReadForm address={address} item={item} />
                </Disclosure>
              )}
            </li>
          )
        })}
      </ul>
    </Panel>
  )

const isRead = ({ stateMutability }: AbiItem): boolean => stateMutability === "view" || stateMutability === "pure"

interface AbiProps {
  readonly address: string
  readonly described: ContractAbi
  /** The ABI belongs to the implementation behind the proxy. */
  readonly isBehind?: boolean
}

const Abi = ({ address, described, isBehind = false }: AbiProps) => {
  const where = isBehind ? " of the implementation" : ""
  const of = (type: AbiItem["type"]) => described.abi.filter((item) => item.type === type)
  return (
    <>
      <Items title={`Read functions${where}`} items={of("function").filter(isRead)} address={address} />
      <Items title={`Write functions${where}`} items={of("function").filter((item) => !isRead(item))} />
      <Items title={`Events${where}`} items={of("event")} />
      <Items title={`Errors${where}`} items={of("error")} />
    </>
  )
}

const sourceText = (source: string): string =>
  source === "command" ? "added by command" : source === "upload" ? "uploaded" : `the project ${source}`

const Unknown = ({ address }: { readonly address: string }) => (
  <Notice title="The service has no ABI for this contract">
    <p>
      Calls and logs are decoded with well-known signatures. No artifact of a watched project has this address or the
      code at it. Compile the project that the contract belongs to, or run <code>daybook abi add {address} FILE</code>.
    </p>
  </Notice>
)

export const ContractTab = ({ address }: { readonly address: string }) => {
  const { data, error, refetch } = useContract(address)
  if (data === undefined) {
    return error === null ? <Skeleton label="the ABI" rows={8} /> : <ErrorNotice error={error} onRetry={refetch} />
  }
  if (data.result === null) return <Unknown address={address} />
  const { contract, implementation } = data.result
  return (
    <>
      <Panel title="Description">
        <Facts>
          <Fact name="Name">
            <ForeignText text={contract.name} />
          </Fact>
          <Fact name="Source" hint="Where the service got this description">
            <ForeignText text={sourceText(contract.source)} />
          </Fact>
          {implementation === null ? null : (
            <Fact name="Implementation">
              <AddressLink address={implementation.address} label={implementation.name} isFull withCopy />
            </Fact>
          )}
        </Facts>
      </Panel>
      {contract.abi.length === 0 && implementation === null ? <Unknown address={address} /> : null}
      <Abi address={address} described={contract} />
      {implementation === null ? null : <Abi address={address} described={implementation} isBehind />}
    </>
  )
}
