import { createHmac } from 'node:crypto'
import { type Access, provisionSchemas } from '@reticle/kit/db/provision'
import pg from 'pg'

/** Schemas of the services, by the word in their settings. */
export const schemas = {
  projects: 'projects',
  annotations: 'annotations',
  jobs: 'requests',
  webhooks: 'webhooks',
}

/**
 * Creates a database with schemas and roles as the operator of a cluster does, and returns `{access, isNew}`: `access`
 * maps a service to the addresses `{owner, writer}`, `isNew` is true if the database was created. Roles are global to a
 * server, so their passwords are derived from the administrator's, and every system started on it computes the same.
 */
export async function provideDatabase(
  admin: string,
  name: string,
): Promise<{ access: Map<string, Access>; isNew: boolean }> {
  const isNew = await createDatabase(admin, name)
  const url = new URL(admin)
  url.pathname = `/${name}`
  const passwordOf = (role: string) =>
    createHmac('sha256', new URL(admin).password).update(role).digest('base64url')
  const names = Object.values(schemas)
  const provided = await provisionSchemas({
    admin: url.href,
    schemas: names,
    passwordOf,
    extensions: ['pg_trgm'],
  })
  const access = new Map<string, Access>()
  for (const [service, schema] of Object.entries(schemas)) {
    const roles = provided.get(schema)
    if (roles) access.set(service, roles)
  }
  return { access, isNew }
}

async function createDatabase(admin: string, name: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: admin })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
    return rowCount === 0
  } finally {
    await client.end()
  }
}
