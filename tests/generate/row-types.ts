import { openDatabase } from '@reticle/kit/db/connect'
import { migrate } from '@reticle/kit/db/migrate'
import { rowTypes } from '@reticle/kit/db/row-types'
import { schemas } from '@reticle/standalone/databases'

/** The service of each schema, and the name of the type for all its tables. */
const owners: Record<string, { app: string; database: string }> = {
  projects: { app: 'projects-svc', database: 'ProjectsDb' },
  annotations: { app: 'annotations-svc', database: 'AnnotationsDb' },
  requests: { app: 'jobs-svc', database: 'RequestsDb' },
  webhooks: { app: 'webhooks-svc', database: 'WebhooksDb' },
}

/**
 * Generates `db/schema.ts` of every service from the migrated schemas.
 * @param url address of an empty database
 */
export async function rowTypeFiles(url: string): Promise<Record<string, string>> {
  for (const one of schemas) await migrate(url, one)
  const { db, close } = openDatabase<unknown>(url, { application: 'codegen' })
  const files: Record<string, string> = {}
  for (const { schema } of schemas) {
    const owner = owners[schema]
    if (!owner) throw new Error(`no owner is listed for the schema ${schema}`)
    files[`apps/${owner.app}/src/db/schema.ts`] = await rowTypes(db, schema, owner.database)
  }
  await close()
  return files
}
