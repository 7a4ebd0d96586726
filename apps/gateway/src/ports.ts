import type { Tables } from '@reticle/contracts'
import type { Service } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Logger } from '@reticle/kit/log'
import type { GatewaySettings } from './config.ts'

/** Whom the gateway asks: the services by the names of their tables. */
export type Services = { [N in keyof Tables]: Service<Tables[N]> }

/** Whether a part that is needed works; it throws when not. The name is shown in the answer of the health route. */
export type HealthChecks = Record<string, () => Promise<void>>

/** Everything the gateway touches outside of itself. */
export interface GatewayPorts {
  services: Services
  /** Where uploads go and downloads come from. */
  blobs: BlobStore
  log: Logger
  settings: GatewaySettings
  checks: HealthChecks
}

/**
 * Where the process is in its life; probes report it. While it leaves it answers, and asks clients to come over another
 * connection next time; while it stops calls are refused.
 */
export interface Phase {
  now: 'starting' | 'ready' | 'leaving' | 'stopping'
}
