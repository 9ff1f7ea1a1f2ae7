/** `examples/src/worker.ts` with moralis. */
import Moralis from "moralis"

export interface Environment {
  readonly MORALIS_API_KEY: string
}

const isAddress = (text: string): boolean => /^0x[0-9a-f]{40}$/i.test(text)

/** moralis supports neither a deadline nor a signal. */
const within = <A>(millis: number, work: Promise<A>, signal?: AbortSignal): Promise<A> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(new Error("aborted"))
    const timer = setTimeout(stop, millis)
    signal?.addEventListener("abort", stop, { once: true })
    void work.then(resolve, reject).finally(() => clearTimeout(timer))
  })

export const history = async (path: string, environment: Environment, signal?: AbortSignal): Promise<Response> => {
  const address = path.slice(1)
  if (!isAddress(address)) return Response.json({ message: "Invalid address" }, { status: 400 })
  try {
    if (!Moralis.Core.isStarted) await Moralis.start({ apiKey: environment.MORALIS_API_KEY })
    const query = { address, chain: "0x1", limit: 10 }
    const page = await within(5_000, Moralis.EvmApi.wallets.getWalletHistory(query), signal)
    return Response.json(page.raw().result)
  } catch {
    return Response.json({ message: "History unavailable" }, { status: 502 })
  }
}

/** Cloudflare Workers, Deno (`deno serve`) and Bun. */
export default {
  fetch: (request: Request, environment: Environment) =>
    history(new URL(request.url).pathname, environment, request.signal),
}

/** AWS Lambda. */
export const handler = async ({ rawPath }: { readonly rawPath: string }) => {
  const response = await history(rawPath, process.env as unknown as Environment)
  return { statusCode: response.status, headers: { "content-type": "application/json" }, body: await response.text() }
}
