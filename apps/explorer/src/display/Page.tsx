/** Building blocks of pages: titles, panels, lists of facts, notices and placeholders. */
import { type ReactNode, useEffect, useId } from "react"
import { explain } from "../service/Errors.ts"
import { ForeignText } from "../text/ForeignText.tsx"

interface PageProps {
  /** Title of the browser tab. */
  readonly title: string
  readonly heading: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A page with its heading. */
export const Page = ({ actions, children, heading, title }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Daybook`
  }, [title])
  return (
    <div className="page">
      <div className="page-head">
        <h1 tabIndex={-1}>{heading}</h1>
        {actions}
      </div>
      {children}
    </div>
  )
}

interface PanelProps {
  /** Makes the part the target of a link. */
  readonly id?: string
  readonly title: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page with its own heading. */
export const Panel = ({ actions, children, id, title }: PanelProps) => {
  const headingId = useId()
  return (
    <section className="panel" id={id} tabIndex={id === undefined ? undefined : -1} aria-labelledby={headingId}>
      <div className="panel-head">
        <h2 id={headingId}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

interface FactsProps {
  /** Most of the facts are short: on phones they are laid out side by side. */
  readonly areShort?: boolean
  readonly children: ReactNode
}

/** Facts by name. */
export const Facts = ({ areShort = false, children }: FactsProps) => (
  <dl className={areShort ? "facts is-short" : "facts"}>{children}</dl>
)

interface FactProps {
  readonly name: string
  /** Explanation of the name, shown on hover. */
  readonly hint?: string
  readonly children: ReactNode
}

/** One fact. */
export const Fact = ({ children, hint, name }: FactProps) => (
  <div className="fact">
    <dt title={hint}>{name}</dt>
    <dd>{children}</dd>
  </div>
)

type Tone = "good" | "bad" | "warning" | "neutral" | "in" | "out"

/** A word in a coloured box. */
export const Badge = ({
  children,
  hint,
  tone = "neutral",
}: {
  readonly children: ReactNode
  readonly hint?: string
  readonly tone?: Tone
}) => (
  <span className="badge" data-tone={tone} title={hint}>
    {children}
  </span>
)

/** A notice; `alert` is read out at once. */
export const Notice = ({
  actions,
  children,
  title,
  tone = "neutral",
}: {
  readonly title: string
  readonly tone?: "bad" | "warning" | "neutral"
  readonly actions?: ReactNode
  readonly children?: ReactNode
}) => (
  <div className="notice" data-tone={tone} role={tone === "neutral" ? "status" : "alert"}>
    <p className="notice-title">{title}</p>
    {children === undefined ? null : <div className="notice-text">{children}</div>}
    {actions}
  </div>
)

/** An error, with a button that retries. */
export const ErrorNotice = ({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => unknown }) => {
  const { detail, title } = explain(error)
  return (
    <Notice
      title={title}
      tone="bad"
      actions={
        onRetry === undefined ? null : (
          <button type="button" className="button" onClick={() => void onRetry()}>
            Try again
          </button>
        )
      }
    >
      <ForeignText text={detail} />
    </Notice>
  )
}

/** Placeholder bars for rows that are loading. */
export const Skeleton = ({ label, rows = 6 }: { readonly label: string; readonly rows?: number }) => (
  <div className="skeleton" role="status" aria-label={`Loading ${label}`}>
    {Array.from({ length: rows }, (_, at) => (
      <span key={at} />
    ))}
  </div>
)

/** A table that scrolls sideways if it is too wide, also by keyboard. */
export const TableBox = ({ children, label }: { readonly children: ReactNode; readonly label: string }) => (
  <div className="table-box" role="group" aria-label={label} tabIndex={0}>
    {children}
  </div>
)

/** A part that opens. */
export const Disclosure = ({
  children,
  isOpen = false,
  title,
}: {
  readonly title: ReactNode
  readonly isOpen?: boolean
  readonly children: ReactNode
}) => (
  <details className="disclosure" open={isOpen}>
    <summary>{title}</summary>
    {children}
  </details>
)
