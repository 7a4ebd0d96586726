import type { Kysely } from 'kysely'
import { openDatabase } from '../db/connect.ts'
import type { SealedColumn } from '../settings/sealed.ts'
import { UsageError } from './command-line.ts'

/** Service as operator commands see it. */
export interface OpsService {
  /** Name such as `webhooks-svc`. */
  service: string
  schema: string
  /** Columns with encrypted values. */
  sealed: readonly SealedColumn[]
}

/** Service with a connection to its schema. */
export interface OpsTarget extends OpsService {
  url: string
  db: Kysely<unknown>
}

/** Provides the addresses of services while `work` runs. */
export type ServiceAccess = <R>(
  work: (urlOf: (service: OpsService) => string) => Promise<R>,
) => Promise<R>

export interface OpsServices {
  services: readonly OpsService[]
  reach: ServiceAccess
}

/** Returns a name of a service for examples. */
export const someService = ({ services }: OpsServices): string => services.at(-1)?.service ?? 'NAME'

/**
 * Runs `work` for each service, or for the named one, then `after` while they are still reachable.
 * @throws UsageError if no service has that name
 */
export async function forEach(
  { services, reach }: OpsServices,
  name: string | undefined,
  work: (target: OpsTarget) => Promise<void>,
  after: () => Promise<void> = async () => undefined,
): Promise<void> {
  const chosen = name === undefined ? services : services.filter((one) => one.service === name)
  if (chosen.length === 0) {
    const known = services.map(({ service }) => service).join(', ')
    throw new UsageError(`--service: there is no "${name}", there are: ${known}`)
  }
  await reach(async (urlOf) => {
    for (const one of chosen) {
      const url = urlOf(one)
      const database = openDatabase<unknown>(url, {
        application: 'ops',
        max: 1,
        statement_timeout: 60_000,
        search_path: [one.schema, 'bus'],
      })
      await work({ ...one, url, db: database.db }).finally(database.close)
    }
    await after()
  })
}
