import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { AddressRefused, type Guard, guardedLookup, isAllowed } from './guard.ts'

export interface AgentOptions extends Pick<Guard, 'nets'> {
  /** Bytes that one connection may bring; a longer answer is cut. Absent: any number. */
  maxBytes?: number
  /** Resolver; default the system's. */
  lookup?: LookupFunction
}

/** An answer was longer than anybody had reason to expect. */
export class AnswerTooLong extends Error {
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
  const { nets, lookup, maxBytes } = options
  const Agent = protocol === 'https:' ? https.Agent : http.Agent
  const given = { keepAlive: false, lookup: guardedLookup(nets, lookup) }
  const agent = new Agent(given)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (target, done) => {
    const host = target.host ?? ''
    if (isIP(host) !== 0 && !isAllowed(host, nets)) {
      done?.(new AddressRefused(), undefined as never)
      return undefined
    }
    const socket = connect(target, done) as Socket
    socket.once('connect', () => {
      if (!isAllowed(socket.remoteAddress ?? '', nets)) socket.destroy(new AddressRefused())
    })
    if (maxBytes !== undefined) limitBytes(socket, maxBytes)
    return socket
  }
  return agent
}

/** Asked from outside: whoever listened to the data would take it from the parser of HTTP. */
function limitBytes(socket: Socket, most: number): void {
  const watch = setInterval(() => {
    if (socket.bytesRead > most) socket.destroy(new AnswerTooLong())
  }, watchMs).unref()
  socket.once('close', () => clearInterval(watch))
}
