import { request } from 'node:http'
import type { Socket } from 'node:net'
import { z } from 'zod'
import { AddressRefused } from './guard.ts'

/**
 * The way out by a proxy of the operator's (`reliability.md` 10, "Second fence"): CONNECT for every target, https or not. The proxy
 * resolves names and judges what they lead to, so nobody can change an answer between the look and the call; what can be said
 * without a resolver is said here before.
 */

/** `http://host:port` or `http://user:password@host:port`; absent: connections are made from here. */
export const egressProxy = z
  .string()
  .refine(isProxy, { error: 'Expected http://host:port or http://user:password@host:port.' })
  .optional()

function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname, search, hash } = new URL(text)
  return protocol === 'http:' && hostname !== '' && `${pathname}${search}${hash}` === '/'
}

/** The proxy is down, or could not get through: another attempt may find it well. */
class ProxyUnreachable extends Error {
  readonly code = 'ERR_PROXY_UNREACHABLE'

  constructor() {
    super('the proxy did not open a connection')
  }
}

export interface TunnelTarget {
  /** Name or literal, without brackets. */
  host: string
  port: number
  /** Until the tunnel stands; absent: ten seconds. */
  timeoutMs?: number
}

/** Smokescreen answers 407 for what it does not allow, others 403. */
const refusals = new Set([403, 407])

/**
 * Asks the proxy for a connection. `done` gets a socket that leads to the target, AddressRefused where the proxy does not allow it, or
 * ProxyUnreachable.
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
