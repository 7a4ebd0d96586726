import type { LookupFunction } from 'node:net'
import { type Net, readTarget, TargetRefused } from '../outgoing/guard.ts'
import { AddressUnreadable } from './address.ts'

/** Where buckets may be. */
export interface BucketGuard {
  /** Networks that are allowed although they are not public. */
  nets: readonly Net[]
  /** Resolver; default the system's. */
  lookup?: LookupFunction
  /** Absent: connections are made from here. */
  egressProxy?: string
}

/**
 * Reads an endpoint that a user named. Plain http is allowed, since stores inside of a network mostly have nothing else;
 * so are names that mean something only inside, where some network inside is allowed.
 *
 * @throws AddressUnreadable with what would be right
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
