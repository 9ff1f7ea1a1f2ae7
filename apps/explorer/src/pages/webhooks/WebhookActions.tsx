/** Pauses, resumes, tests and replays a webhook. */
import type { Webhook } from "@daybook/rest/WebhookClient"
import { type FormEvent, useState } from "react"
import { Disclosure, ErrorNotice } from "../../display/Page.tsx"
import { type Action, useAction } from "./useWebhooks.ts"

interface RunProps {
  readonly run: (action: Action) => void
  readonly isRunning: boolean
}

/** A form that sends all rows again from a given position. */
const ReplayForm = ({ id: webhook, isRunning, run }: Pick<Webhook, "id"> & RunProps) => {
  const [from, setFrom] = useState("")
  const start = from.trim()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (start !== "") run((client) => client.replay({ webhook, from: start }))
  }
  return (
    <Disclosure title="Replay">
      <form className="read-form" onSubmit={onSubmit}>
        <label>
          From: a block number, a date, the cursor of an event, or now
          <input
            type="text"
            spellCheck={false}
            autoComplete="off"
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
        </label>
        <button type="submit" className="button" disabled={isRunning || start === ""}>
          Send again from there
        </button>
      </form>
      <p className="muted">The receiver gets rows again that it has already received, with the same ids.</p>
    </Disclosure>
  )
}

export const WebhookActions = ({ webhook: { id, state } }: { readonly webhook: Webhook }) => {
  const { error, isPending, mutate } = useAction()
  const [done, setDone] = useState("")
  const run = (action: Action, text: string) => {
    setDone("")
    mutate(action, { onSuccess: () => setDone(text) })
  }
  const isPaused = state === "paused"
  return (
    <div className="webhook-actions">
      <div className="buttons">
        <button
          type="button"
          className="button"
          disabled={isPending}
          onClick={() =>
            isPaused
              ? run((client) => client.resume({ webhook: id }), "Resumed.")
              : run((client) => client.pause({ webhook: id }), "Paused.")
          }
        >
          {isPaused ? "Resume" : "Pause"}
        </button>
        <button
          type="button"
          className="button"
          disabled={isPending || isPaused}
          title={isPaused ? "A paused webhook sends nothing." : undefined}
          onClick={() => run((client) => client.test({ webhook: id }), "A test will be sent.")}
        >
          Send a test
        </button>
        <span role="status" className="muted">
          {done}
        </span>
      </div>
      <ReplayForm id={id} isRunning={isPending} run={(action) => run(action, "Rows are sent again from there.")} />
      {error === null ? null : <ErrorNotice error={error} />}
    </div>
  )
}
