import { openDatabase } from '@reticle/kit/db/connect'
import { migrateSchema } from '@reticle/kit/db/migrate'
import { type RowTypeNames, rowTypes } from '@reticle/kit/db/row-types'
import { schemas } from '@reticle/standalone/postgres/databases'

/** Tables that several schemas have. Their types are named after the schema and the table. */
const sharedTables = [
  'applied_calls',
  'dead_events',
  'idempotency_keys',
  'inbox',
  'outbox',
  'outbox_sent',
  'sweeps',
]

/**
 * The service of each schema, the name of the type for all its tables, and names for types of tables that are called
 * as in another schema.
 */
const owners: Record<string, { app: string } & RowTypeNames> = {
  projects: {
    app: 'projects-svc',
    database: 'ProjectsDb',
    aliases: { blobs: 'asset_blobs' },
  },
  annotations: {
    app: 'annotations-svc',
    database: 'AnnotationsDb',
    aliases: { jobs: 'annotation_sets' },
  },
  requests: { app: 'jobs-svc', database: 'RequestsDb' },
  webhooks: {
    app: 'webhooks-svc',
    database: 'WebhooksDb',
    aliases: { organizations: 'organization_copies', projects: 'project_copies' },
  },
}

/**
 * Generates `db/schema.ts` of every service from the migrated schemas.
 * @param url address of an empty database
 */
export async function rowTypeFiles(url: string): Promise<Record<string, string>> {
  for (const one of schemas) await migrateSchema(url, one)
  const { db, close } = openDatabase<unknown>(url, { application: 'codegen' })
  const files: Record<string, string> = {}
  for (const { schema } of schemas) {
    const owner = owners[schema]
    if (!owner) throw new Error(`no owner is listed for the schema ${schema}`)
    const prefixed = Object.fromEntries(sharedTables.map((one) => [one, `${schema}_${one}`]))
    files[`apps/${owner.app}/src/db/schema.ts`] = await rowTypes(db, schema, {
      database: owner.database,
      aliases: { ...prefixed, ...owner.aliases },
    })
  }
  await close()
  return files
}
