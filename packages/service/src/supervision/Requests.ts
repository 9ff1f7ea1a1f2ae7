/**
 * Requests between two threads or processes over one message channel, in both directions: each request has a number, which its response
 * repeats. Unanswered requests fail when the other side ends; an interrupted request is cancelled there.
 *
 * Source: decision 0042.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/** The other side has ended, or failed on the request. */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{ readonly message: string }> {}

/** A message of the channel. Both sides run the same version of this package, so messages are not decoded. */
export type Message =
  | { readonly _tag: "Request"; readonly id: number; readonly name: string; readonly payload: unknown }
  | { readonly _tag: "Response"; readonly id: number; readonly value: unknown }
  | { readonly _tag: "Failure"; readonly id: number; readonly message: string }
  | { readonly _tag: "Cancel"; readonly id: number }

/** Requests of one side by name, as functions from the payload to the value of the response. */
type Contract<C> = { readonly [Name in keyof C]: (payload: never) => unknown }

type Payload<F> = F extends (payload: infer P) => unknown ? P : never
type Value<F> = F extends (payload: never) => infer V ? V : never

/** Handlers of the other side's requests. */
export type Handlers<C extends Contract<C>> = {
  readonly [Name in keyof C]: (payload: Payload<C[Name]>) => Effect.Effect<Value<C[Name]>>
}

/** One side of a channel. */
export interface Requests<Remote extends Contract<Remote>> {
  /**
   * Sends a request and waits for its response.
   *
   * **Errors**
   * - `RequestFailed`: the other side has ended, or failed on the request.
   */
  readonly send: <Name extends keyof Remote & string>(
    name: Name,
    payload: Payload<Remote[Name]>,
  ) => Effect.Effect<Value<Remote[Name]>, RequestFailed>
  /** Processes a message from the other side. */
  readonly receive: (message: Message) => void
  /** Marks the other side as ended. */
  readonly end: (reason: string) => void
}

type Resume = (response: Effect.Effect<never, RequestFailed> | Effect.Effect<unknown>) => void

/** Makes one side of a channel. It responds to requests of the other side with `handlers`, run with `services`. */
export const make = <Local extends Contract<Local>, Remote extends Contract<Remote>>(
  post: (message: Message) => void,
  handlers: Handlers<Local>,
  services: Context.Context<never> = Context.empty(),
): Requests<Remote> => {
  const pending = new Map<number, Resume>()
  const running = new Map<number, Fiber.Fiber<unknown>>()
  let ended: RequestFailed | null = null
  let lastId = 0

  const settle = (id: number, response: Parameters<Resume>[0]) => {
    pending.get(id)?.(response)
    pending.delete(id)
  }

  const respond = ({ id, name, payload }: Message & { readonly _tag: "Request" }) => {
    // Sound: both sides share the contract, which has a handler for each name.
    const handle = handlers[name as keyof Local] as (received: unknown) => Effect.Effect<unknown>
    const fiber = Effect.runForkWith(services)(Effect.suspend(() => handle(payload)))
    running.set(id, fiber)
    fiber.addObserver((exit) => {
      running.delete(id)
      if (Exit.isSuccess(exit)) post({ _tag: "Response", id, value: exit.value })
      else if (!Cause.hasInterruptsOnly(exit.cause)) {
        post({ _tag: "Failure", id, message: String(Cause.squash(exit.cause)) })
      }
    })
  }

  return {
    send: (name, payload) =>
      Effect.callback((resume) => {
        if (ended !== null) return resume(Effect.fail(ended))
        const id = ++lastId
        // Sound: the response to a request has the type in its contract.
        pending.set(id, resume as Resume)
        post({ _tag: "Request", id, name, payload })
        return Effect.sync(() => {
          if (pending.delete(id)) post({ _tag: "Cancel", id })
        })
      }),
    receive: (message) => {
      const { id } = message
      switch (message._tag) {
        case "Request":
          return respond(message)
        case "Response":
          return settle(id, Effect.succeed(message.value))
        case "Failure":
          return settle(id, Effect.fail(new RequestFailed({ message: message.message })))
        case "Cancel": {
          const fiber = running.get(id)
          if (fiber !== undefined) Effect.runFork(Fiber.interrupt(fiber))
        }
      }
    },
    end: (reason) => {
      ended ??= new RequestFailed({ message: reason })
      for (const id of pending.keys()) settle(id, Effect.fail(ended))
    },
  }
}
