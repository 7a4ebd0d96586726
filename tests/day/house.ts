/** A system that runs, of which everything may be killed. */
export interface House {
  urls: () => readonly string[]
  /** What is killed, each by its name; done when it works again. */
  victims: Record<string, () => Promise<void>>
  /** Processes of ours by what they are; of several that are the same, all. */
  pids: () => Record<string, readonly number[]>
  /** Everything that was logged, in lines. */
  logs: () => Promise<string[]>
  /** Of a role that reads the tables of a schema. */
  databaseOf: (schema: string) => Promise<string>
  /** Everything in the object store but what it keeps for itself. */
  objects: () => Promise<{ key: string; size: number }[]>
  /** Makes them as old as that, as far as the store lets us. */
  age: (ms: number) => Promise<void>
  /** Orderly, so that sweepers begin. */
  restart: () => Promise<void>
  /** Where conversions and uploads keep what they need for a while. */
  temporary: string
  stop: () => Promise<void>
}

/** Settings by which a day of hours fits into minutes, and receivers on this machine are called. */
export const daySettings = {
  RETICLE_LOG_LEVEL: 'warn',
  RETICLE_LOG_FORMAT: 'json',
  RETICLE_GATEWAY_RATE_ANONYMOUS: '0',
  RETICLE_GATEWAY_RATE_AUTH: '0',
  RETICLE_GATEWAY_RATE_USER: '0',
  RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
  RETICLE_WEBHOOKS_ALLOWED_NETS: '127.0.0.0/8',
  RETICLE_WEBHOOKS_RETRY_SECONDS: '1,1,2',
  RETICLE_STORAGES_ALLOWED_NETS: '127.0.0.0/8',
} as const

export const schemas = ['projects', 'annotations', 'requests', 'webhooks'] as const
