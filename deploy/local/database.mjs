import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'

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
export async function provideDatabase(admin, name) {
  const { provisionSchemas } = await built('db/provision')
  const isNew = await createDatabase(admin, name)
  const url = new URL(admin)
  url.pathname = `/${name}`
  const passwordOf = (role) =>
    createHmac('sha256', new URL(admin).password).update(role).digest('base64url')
  const names = Object.values(schemas)
  const provided = await provisionSchemas({
    ...{ admin: url.href, schemas: names, passwordOf },
    extensions: ['pg_trgm'],
  })
  const byService = Object.entries(schemas).map(([service, schema]) => [
    service,
    provided.get(schema),
  ])
  return { access: new Map(byService), isNew }
}

async function createDatabase(admin, name) {
  const { Client } = createRequire(kit('package.json'))('pg')
  const client = new Client({ connectionString: admin })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
    return rowCount === 0
  } finally {
    await client.end()
  }
}

const kit = (path) => new URL(`../../packages/kit/${path}`, import.meta.url)
const built = (name) => import(kit(`dist/${name}.js`).href)
