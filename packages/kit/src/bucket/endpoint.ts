import type { LookupFunction } from 'node:net'
import { type Net, readTarget, TargetRefused } from '../outgoing/guard.ts'
import { AddressUnreadable } from './address.ts'

/** Rules for the addresses of buckets. */
export interface BucketGuard {
  /** Networks that are allowed although they are not public. */
  nets: readonly Net[]
  /** Resolver; by default that of the system. */
  lookup?: LookupFunction
  /** Proxy for outgoing connections; if absent, connections are direct. */
  egressProxy?: string
}

/**
 * Parses the endpoint of a user. Plain http is allowed because stores inside a network often support nothing else.
 * Names that resolve only inside are allowed if some internal network is.
 * @throws AddressUnreadable with the accepted form
 */
export function readEndpoint(text: string, { nets }: BucketGuard, mayHavePath = false): string {
  const url = readUrl(text, nets)
  const hasPath = url.pathname !== '/' && !mayHavePath
  if (hasPath || url.search !== '')
    throw new AddressUnreadable('An address is https://host or https://host:port, nothing else.')
  return mayHavePath ? url.href.replace(/(?<!\/)\/+$/, '') : url.origin
}

function readUrl(text: string, nets: readonly Net[]): URL {
  try {
    return readTarget(text, { nets, allowHttp: true, allowInsideNames: nets.length > 0 })
  } catch (thrown) {
    if (thrown instanceof TargetRefused) throw new AddressUnreadable(thrown.message)
    throw thrown
  }
}
