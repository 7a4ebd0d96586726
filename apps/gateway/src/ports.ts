import type { Tables } from '@reticle/contracts'
import type { Service } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Logger } from '@reticle/kit/observe/log'
import type { GatewaySettings } from './config.ts'

/** Services that the gateway calls, by the names of their tables. */
export type GatewayServices = { [N in keyof Tables]: Service<Tables[N]> }

/** Checks of required parts, which throw on failure. Names are shown by the health route. */
export type HealthChecks = Record<string, () => Promise<void>>

/** External dependencies of the gateway. */
export interface GatewayPorts {
  services: GatewayServices
  /** Store of uploads and downloads. */
  blobs: BlobStore
  log: Logger
  settings: GatewaySettings
  checks: HealthChecks
}

/**
 * Phase of the process, which probes report. While it is leaving, it serves calls and asks clients to reconnect
 * elsewhere; while it is stopping, it refuses calls.
 */
export interface ProcessPhase {
  now: 'starting' | 'ready' | 'leaving' | 'stopping'
}
