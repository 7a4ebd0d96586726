import type { Kysely } from 'kysely'
import { openDatabase } from '../db/connect.ts'
import type { SealedColumn } from '../sealed.ts'
import { UsageError } from './command-line.ts'

/** A service as an operator's commands know it. */
export interface OpsService {
  /** `webhooks-svc` */
  service: string
  schema: string
  /** Where it keeps what is encrypted. */
  sealed: readonly SealedColumn[]
}

/** A service and the way into its schema. */
export interface Target extends OpsService {
  url: string
  db: Kysely<unknown>
}

/** Finds the addresses of services for as long as `work` runs. */
export type Reach = <R>(work: (urlOf: (service: OpsService) => string) => Promise<R>) => Promise<R>

export interface Services {
  services: readonly OpsService[]
  reach: Reach
}

/** A name for examples. */
export const someService = ({ services }: Services): string => services.at(-1)?.service ?? 'NAME'

/**
 * Runs `work` for each service, or for the one that is named, then `after` while they can still be reached.
 *
 * @throws UsageError when there is no service of that name
 */
export async function forEach(
  { services, reach }: Services,
  name: string | undefined,
  work: (target: Target) => Promise<void>,
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
