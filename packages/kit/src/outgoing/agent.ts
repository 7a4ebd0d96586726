import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { AddressRefused, type Guard, guardedLookup, isAllowed } from './guard.ts'
import { openTunnel } from './tunnel.ts'

export interface AgentOptions extends Pick<Guard, 'nets'> {
  /**
   * Largest number of bytes that one connection may receive; a longer
   * response is cut off. If absent, there is no limit.
   */
  maxBytes?: number
  /** Resolver; by default that of the system. */
  lookup?: LookupFunction
  /** Proxy for outgoing connections; if absent, connections are direct. */
  egressProxy?: string
}

/** Error of a response longer than any legitimate one. */
class AnswerTooLong extends Error {
  readonly code = 'ERR_ANSWER_TOO_LONG'

  constructor() {
    super('the answer was too long')
  }
}

/** Milliseconds between two checks of the received bytes of a connection. */
const watchMs = 50

/**
 * Creates an agent for libraries with their own HTTP client. It checks address literals, resolved addresses and the
 * open socket. Every request opens a connection, so that none is reused that was checked for another name.
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

/** Encrypts between this process and the target; the proxy between them sees only bytes. */
const encrypted = (socket: Socket, host: string): Socket =>
  connectTls({ socket, host, servername: isIP(host) === 0 ? host : '' })

/** Polls the received bytes, because a data listener would take the data from the HTTP parser. */
function limitBytes(socket: Socket, most: number): void {
  const watch = setInterval(() => {
    if (socket.bytesRead > most) socket.destroy(new AnswerTooLong())
  }, watchMs).unref()
  socket.once('close', () => clearInterval(watch))
}
