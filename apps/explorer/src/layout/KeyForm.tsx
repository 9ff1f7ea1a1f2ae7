/** Asks for an API key if the service requires one. */
import { type FormEvent, useState } from "react"
import * as ApiKey from "../service/ApiKey.ts"

export const KeyForm = () => {
  const [key, setKey] = useState("")
  const isValid = /^[\x21-\x7e]+$/.test(key.trim())
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isValid) ApiKey.write(key.trim())
  }
  return (
    <form className="key-form panel" onSubmit={onSubmit}>
      <h1>API key</h1>
      <p>
        This service requires an API key. The operator creates one with <code>daybook keys add NAME</code>. The key is
        kept in this tab until the tab is closed.
      </p>
      {ApiKey.wasRefused() ? <p role="alert">The service does not accept this key. Enter another one.</p> : null}
      <label>
        Key
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
      </label>
      <button type="submit" className="button" disabled={!isValid}>
        Continue
      </button>
    </form>
  )
}
