/** A running system whose parts can be killed. */
export interface DaySystem {
  urls: () => readonly string[]
  /** Parts that can be killed, by name. Each resolves when the part works again. */
  victims: Record<string, () => Promise<void>>
  /** Process ids by kind of process; several for replicas. */
  pids: () => Record<string, readonly number[]>
  /** Returns all log lines. */
  logs: () => Promise<string[]>
  /** Returns the address of a database role that can read the tables of a schema. */
  databaseOf: (schema: string) => Promise<string>
  /** Lists the object store, without its own internal objects. */
  objects: () => Promise<{ key: string; size: number }[]>
  /** Makes objects older by that time, as far as the store allows. */
  age: (ms: number) => Promise<void>
  /** Restarts gracefully, so that sweepers run. */
  restart: () => Promise<void>
  /** Folder of temporary files of conversions and uploads. */
  temporary: string
  stop: () => Promise<void>
}

/** Settings that fit a day of hours into minutes, and allow receivers on this machine. */
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
