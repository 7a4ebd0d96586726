import * as annotations from '@reticle/annotations-svc'
import * as jobs from '@reticle/jobs-svc'
import { busMigrations } from '@reticle/kit/bus/postgres/log'
import { noServer } from '@reticle/kit/db/errors'
import { migrate, type Schema } from '@reticle/kit/db/migrate'
import { type Access, accessTo, provision } from '@reticle/kit/db/provision'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'

/** The schema of the log that carries events: the one schema every service may use. */
const shared = 'bus'

/** Of the search for frames by their names; `deploy/docker/roles.sql` makes it in a cluster. */
const extensions = ['pg_trgm']

/** Every service's schema and how it came to be; `npm run codegen` writes row types from the same list. */
export const schemas = [projects, annotations, jobs, webhooks].map(({ schema, migrations }) => ({
  schema,
  migrations,
}))

/** Address of the role of each service, and of the bus. */
export type Urls = Record<'projects' | 'annotations' | 'requests' | 'webhooks' | 'bus', string>

/** The error itself, unless nobody answered: Node says that with an empty sentence when a name has several addresses. */
function unreachable(cause: unknown, url: string): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (!noServer.has(code)) return cause
  const sentence = `No database server answers at ${new URL(url).host} (${code}): start it, or correct RETICLE_DATABASE_URL.`
  return new Error(sentence, { cause })
}

/** Every schema with its migrations, the bus included. */
export const allSchemas: readonly Schema[] = [
  { schema: shared, migrations: busMigrations },
  ...schemas,
]

/**
 * Makes roles and schemas, brings them up to date, and answers by which address each service comes in.
 *
 * @param wanted what to bring them to, where it is not the newest: the steps of a backup
 * @throws Error with one sentence for the terminal when no server answers
 */
export async function prepareDatabase(
  admin: string,
  passwordOf: (role: string) => string,
  wanted: readonly Schema[] = allSchemas,
): Promise<Urls> {
  const names = schemas.map((one) => one.schema)
  await provision({ admin, schemas: names, shared, extensions, passwordOf }).catch(
    (cause: unknown) => {
      throw unreachable(cause, admin)
    },
  )
  const access = (schema: string): Access => accessTo(admin, schema, passwordOf)
  const bus = wanted.filter(({ schema }) => schema === shared)
  const others = wanted.filter(({ schema }) => schema !== shared)
  for (const one of bus) await migrate(access(shared).owner, one)
  await Promise.all(others.map((one) => migrate(access(one.schema).owner, one)))
  return {
    projects: access(projects.schema).writer,
    annotations: access(annotations.schema).writer,
    requests: access(jobs.schema).writer,
    webhooks: access(webhooks.schema).writer,
    bus: access(shared).writer,
  }
}
