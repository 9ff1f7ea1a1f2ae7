/** Single values: amounts, numbers, times, hashes, bytes. A shortened value is complete on hover and when copied. */
import { type ReactNode, useEffect, useState } from "react"
import { useService } from "../service/Service.tsx"
import { useNow } from "./Clock.ts"
import { type Shown, formatAmount, formatEther, formatInteger, shorten } from "./Numbers.ts"
import { formatAge, formatLocal, formatUtc } from "./Times.ts"
import { ForeignText } from "../text/ForeignText.tsx"
import { isolated } from "../text/VisibleText.ts"

const copiedMillis = 1_500

/** Copies a text. */
export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }) => {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle")
  useEffect(() => {
    if (state === "idle") return
    const timer = setTimeout(() => setState("idle"), copiedMillis)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async () => {
    try {
      // The clipboard is missing on pages without TLS, except those from localhost.
      await navigator.clipboard.writeText(text)
      setState("copied")
    } catch {
      setState("failed")
    }
  }
  return (
    <button type="button" className="copy" data-state={state} aria-label={`Copy ${what}`} onClick={() => void copy()}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {state === "copied" ? <path d="M3 8.5 6.5 12 13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />}
      </svg>
      <span role="status" className="visually-hidden">
        {state === "copied" ? `Copied ${what}` : state === "failed" ? "The browser refused to copy" : ""}
      </span>
    </button>
  )
}

interface NumberProps {
  readonly shown: Shown
  readonly unit?: ReactNode
  readonly exactUnit?: string
  readonly tone?: "in" | "out" | undefined
}

const NumberText = ({ exactUnit, shown, tone, unit }: NumberProps) => (
  <data className="number" value={shown.exact} title={`${shown.exact}${exactUnit ?? ""}`} data-tone={tone}>
    {shown.text}
    {unit === undefined ? null : <> {unit}</>}
  </data>
)

export interface AmountProps {
  readonly amount: bigint
  readonly decimals: number
  /** May be chosen by a contract, so it is isolated from the surrounding text. */
  readonly symbol?: string | undefined
  /** Shows the sign, and colours the amount by it. */
  readonly signed?: boolean
  /** Shows every digit, where there is room. */
  readonly isWhole?: boolean
}

const toneOf = (amount: bigint, signed: boolean): "in" | "out" | undefined =>
  signed && amount !== 0n ? (amount > 0n ? "in" : "out") : undefined

/** An amount in units of its asset. */
export const Amount = ({ amount, decimals, isWhole = false, signed = false, symbol }: AmountProps) => {
  const plain = formatAmount(amount, decimals, isWhole)
  const shown = signed && amount > 0n ? { ...plain, text: `+${plain.text}` } : plain
  return (
    <NumberText
      shown={shown}
      {...(symbol === undefined
        ? {}
        : { unit: <ForeignText className="symbol" text={symbol} />, exactUnit: ` ${isolated(symbol)}` })}
      tone={toneOf(amount, signed)}
    />
  )
}

type EtherProps = Omit<AmountProps, "decimals" | "symbol">

/** An amount of the chain's currency. Small amounts are in gwei or wei, so that their digits are shown. */
export const Ether = ({ amount, isWhole = false, signed = false }: EtherProps) => {
  const { symbol } = useService().chain.currency
  const shown = formatEther(amount, symbol, isWhole)
  const sign = signed && amount > 0n ? "+" : ""
  return (
    <NumberText
      shown={{ ...shown, text: `${sign}${shown.text}` }}
      unit={<ForeignText className="symbol" text={shown.unit} />}
      exactUnit={` ${isolated(symbol)}`}
      tone={toneOf(amount, signed)}
    />
  )
}

/** An amount in gwei, exact. */
export const Gwei = ({ wei }: { readonly wei: bigint }) => (
  <NumberText shown={formatAmount(wei, 9, true)} unit="gwei" exactUnit=" gwei" />
)

/** A whole number. */
export const Count = ({ value }: { readonly value: bigint | number }) => (
  <data className="number" value={String(value)}>
    {formatInteger(value)}
  </data>
)

/** Seconds since 1970 as a date. */
export const fromSeconds = (seconds: bigint): Date => new Date(Number(seconds) * 1_000)

interface TimeProps {
  readonly time: Date
  /** `age` for tables, `full` for the page of a single item. */
  readonly form?: "age" | "full"
}

/** A block time: local, with UTC on hover. */
export const Time = ({ form = "age", time }: TimeProps) => {
  const now = useNow()
  const isValid = !Number.isNaN(time.getTime())
  const [age, local, utc] = [formatAge(time, now), formatLocal(time), formatUtc(time)]
  return (
    <time {...(isValid ? { dateTime: time.toISOString() } : {})} title={form === "age" ? `${local} · ${utc}` : utc}>
      {form === "age" ? age : `${local} (${age})`}
    </time>
  )
}

/** A hash in full, with a button that copies it. */
export const Hash = ({ hash, what }: { readonly hash: string; readonly what: string }) => (
  <span className="copyable">
    <code className="hash">{hash}</code>
    <CopyButton text={hash} what={what} />
  </span>
)

/** A shortened hash. */
export const ShortHash = ({ hash }: { readonly hash: string }) => (
  <code className="hash" title={hash}>
    {shorten(hash)}
  </code>
)

/** Bytes in a box that scrolls. */
export const Bytes = ({ hex, label }: { readonly hex: string; readonly label: string }) => (
  <div className="bytes-box">
    <code className="bytes" tabIndex={0} role="textbox" aria-readonly="true" aria-multiline="true" aria-label={label}>
      {hex}
    </code>
    <CopyButton text={hex} what={label} />
  </div>
)
