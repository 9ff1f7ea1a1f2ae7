/** Settings of the explorer: the chains of the service, and whether a key is required. */
import type { ExplorerSettings } from "@daybook/rest/ExplorerClient"
import * as Clients from "./Clients.ts"

/** The explorer cannot start; the message states what to do. */
class SettingsError extends Error {
  override readonly name = "SettingsError"
}

/** Reads the settings from the service that served the page. Needs no key. */
export const load = async ({ signal }: { readonly signal: AbortSignal }): Promise<ExplorerSettings> => {
  const settings = await (await Clients.status()).settings({}, { signal, timeout: "4 seconds" })
  if (settings.chains.length > 0) return settings
  throw new SettingsError("The service has no chains. Add one to its configuration, and reload this page.")
}
