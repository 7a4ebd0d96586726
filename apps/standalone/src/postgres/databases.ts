import * as annotations from '@reticle/annotations-svc'
import * as jobs from '@reticle/jobs-svc'
import { busMigrations } from '@reticle/kit/bus/postgres/log'
import { noServer } from '@reticle/kit/db/errors'
import { type DatabaseSchema, migrateSchema } from '@reticle/kit/db/migrate'
import { type Access, accessTo, provisionSchemas } from '@reticle/kit/db/provision'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'

/** Schema of the event log, the only schema that every service may use. */
const shared = 'bus'

/** Extension for searching frames by their names; in a cluster, `deploy/docker/roles.sql` creates it. */
const extensions = ['pg_trgm']

/** Schemas of the services and their migrations; `npm run codegen` generates row types from the same list. */
export const schemas = [projects, annotations, jobs, webhooks].map(({ schema, migrations }) => ({
  schema,
  migrations,
}))

/** Address with the role of each service, and of the bus. */
export type Urls = Record<'projects' | 'annotations' | 'requests' | 'webhooks' | 'bus', string>

/**
 * Returns the error, with a readable sentence when no server responds: Node.js throws an empty message for names with
 * several addresses.
 */
function unreachable(cause: unknown, url: string): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (!noServer.has(code)) return cause
  const sentence = `No database server answers at ${new URL(url).host} (${code}): start it, or correct RETICLE_DATABASE_URL.`
  return new Error(sentence, { cause })
}

/** Every schema with its migrations, including that of the bus. */
export const allSchemas: readonly DatabaseSchema[] = [
  { schema: shared, migrations: busMigrations },
  ...schemas,
]

/**
 * Creates roles and schemas, migrates them, and returns the address for each service.
 *
 * @param requested target migrations if not the newest: those of a backup
 * @throws Error with one sentence for the terminal when no server responds
 */
export async function prepareDatabase(
  admin: string,
  passwordOf: (role: string) => string,
  requested: readonly DatabaseSchema[] = allSchemas,
): Promise<Urls> {
  const names = schemas.map((one) => one.schema)
  await provisionSchemas({ admin, schemas: names, shared, extensions, passwordOf }).catch(
    (cause: unknown) => {
      throw unreachable(cause, admin)
    },
  )
  const access = (schema: string): Access => accessTo(admin, schema, passwordOf)
  const bus = requested.filter(({ schema }) => schema === shared)
  const others = requested.filter(({ schema }) => schema !== shared)
  for (const one of bus) await migrateSchema(access(shared).owner, one)
  await Promise.all(others.map((one) => migrateSchema(access(one.schema).owner, one)))
  return {
    projects: access(projects.schema).writer,
    annotations: access(annotations.schema).writer,
    requests: access(jobs.schema).writer,
    webhooks: access(webhooks.schema).writer,
    bus: access(shared).writer,
  }
}
