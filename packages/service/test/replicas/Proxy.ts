/** A TCP proxy on this machine, in front of a primary or between a primary and its standby. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface Proxy {
  readonly port: number
  /** Redirects new connections to another port, and closes existing ones. */
  readonly lead: (port: number) => void
  /** Stops forwarding without closing connections. */
  readonly hold: () => void
  readonly stop: () => void
}

/** Starts a proxy of a port. */
export const start = async (first: number): Promise<Proxy> => {
  const sockets = new Set<Socket>()
  let target = first
  let isHeld = false
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on("data", (bytes) => (isHeld ? undefined : to.write(bytes)))
    from.on("error", () => to.destroy())
    from.on("close", () => {
      sockets.delete(from)
      if (!isHeld) to.destroy()
    })
  }
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1")
    pass(client, upstream)
    pass(upstream, client)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const closeAll = () => sockets.forEach((socket) => socket.destroy())
  return {
    // Sound: a TCP server has a port.
    port: (server.address() as AddressInfo).port,
    lead: (port) => {
      target = port
      closeAll()
    },
    hold: () => {
      isHeld = true
    },
    stop: () => {
      server.close()
      closeAll()
    },
  }
}
