import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AddressRefused, type Guard, guardedLookup, isAllowed } from './guard.ts'
import { openTunnel } from './tunnel.ts'

export interface AgentOptions extends Pick<Guard, 'nets'> {
  /** Bytes that one connection may bring; a longer answer is cut. Absent: any number. */
  maxBytes?: number
  /** Resolver; default the system's. */
  lookup?: LookupFunction
  /** Absent: connections are made from here. */
  egressProxy?: string
}

/** An answer was longer than anybody had reason to expect. */
class AnswerTooLong extends Error {
  readonly code = 'ERR_ANSWER_TOO_LONG'

  constructor() {
    super('the answer was too long')
  }
}

/** How often a connection is asked how much it has brought. */
const watchMs = 50

/**
 * The way out for libraries that bring an HTTP client of their own (`reliability.md` 10): literals are looked at, resolved
 * addresses, and the open socket. Every request has its own connection: none is reused that was checked for another name.
 */
export function guardedAgent(protocol: string, options: AgentOptions): http.Agent {
  const { nets, lookup, maxBytes, egressProxy } = options
  const Agent = protocol === 'https:' ? https.Agent : http.Agent
  const given = { keepAlive: false, lookup: guardedLookup(nets, lookup) }
  const agent = new Agent(given)
  const direct = agent.createConnection.bind(agent)
  const limited = (socket: Socket) => {
    if (maxBytes !== undefined) limitBytes(socket, maxBytes)
    return socket
  }
  agent.createConnection = (target, done) => {
    const host = (target.host ?? '').replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowed(host, nets)) {
      done?.(new AddressRefused(), undefined as never)
      return undefined
    }
    if (egressProxy) {
      const isSecure = protocol === 'https:'
      const port = Number(target.port ?? (isSecure ? 443 : 80))
      openTunnel(egressProxy, { host, port }, (...[error, socket]) => {
        if (error) return done?.(error, undefined as never)
        done?.(null, limited(isSecure ? encrypted(socket, host) : socket))
      })
      return undefined
    }
    const socket = direct(target, done) as Socket
    socket.once('connect', () => {
      if (!isAllowed(socket.remoteAddress ?? '', nets)) socket.destroy(new AddressRefused())
    })
    return limited(socket)
  }
  return agent
}

/** TLS is between here and the target: what lies between sees bytes. */
const encrypted = (socket: Socket, host: string): Socket =>
  connectTls({ socket, host, servername: isIP(host) === 0 ? host : '' })

/** Asked from outside: whoever listened to the data would take it from the parser of HTTP. */
function limitBytes(socket: Socket, most: number): void {
  const watch = setInterval(() => {
    if (socket.bytesRead > most) socket.destroy(new AnswerTooLong())
  }, watchMs).unref()
  socket.once('close', () => clearInterval(watch))
}
