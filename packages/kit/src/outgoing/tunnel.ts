import { request } from 'node:http'
import type { Socket } from 'node:net'
import { z } from 'zod'
import { AddressRefused } from './guard.ts'

/**
 * Outgoing connections through a proxy of the operator: CONNECT for every target, https or not. The proxy resolves
 * names and checks their addresses, so the result cannot change between check and connection. Checks that need no
 * resolver are made here before. See docs/spec/reliability.md#outgoing-calls.
 */

/** Setting `http://host:port` or `http://user:password@host:port`; if absent, connections are direct. */
export const egressProxy = z
  .string()
  .refine(isProxy, { error: 'Expected http://host:port or http://user:password@host:port.' })
  .optional()

function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  return protocol === 'http:' && hostname !== '' && `${pathname}${search}${hash}` === '/'
}

/** Error of a proxy that is down or could not connect; another attempt may succeed. */
class ProxyUnreachable extends Error {
  readonly code = 'ERR_PROXY_UNREACHABLE'

  constructor() {
    super('the proxy did not open a connection')
  }
}

export interface TunnelTarget {
  /** Name or literal without brackets. */
  host: string
  port: number
  /** Milliseconds until the tunnel is established; default: ten seconds. */
  timeoutMs?: number
}

/** Statuses of a refused target: Smokescreen responds with 407, other proxies with 403. */
const refusals = new Set([403, 407])

/**
 * Opens a tunnel. `done` receives a socket that leads to the target, AddressRefused if the proxy does not allow the
 * target, or ProxyUnreachable.
 */
export function openTunnel(
  proxy: string,
  { host, port, timeoutMs = 10_000 }: TunnelTarget,
  done: (...result: [error: Error, socket: null] | [error: null, socket: Socket]) => void,
): void {
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const authorization = authorizationOf(proxy)
  const { hostname, port: proxyPort } = new URL(proxy)
  const asking = request({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: proxyPort || 80,
    method: 'CONNECT',
    path: authority,
    agent: false,
    headers: { host: authority, ...(authorization && { 'proxy-authorization': authorization }) },
  })
  const timer = setTimeout(() => asking.destroy(new ProxyUnreachable()), timeoutMs)
  asking.once('close', () => clearTimeout(timer))
  asking.once('error', () => done(new ProxyUnreachable(), null))
  asking.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
    clearTimeout(timer)
    if (statusCode === 200) {
      if (head.length > 0) socket.unshift(head)
      return done(null, socket)
    }
    socket.on('error', () => undefined).destroy()
    done(refusals.has(statusCode) ? new AddressRefused() : new ProxyUnreachable(), null)
  })
  asking.end()
}

function authorizationOf(proxy: string): string | undefined {
  const { username, password } = new URL(proxy)
  if (username === '' && password === '') return undefined
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}
