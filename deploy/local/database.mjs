import { createHmac } from 'node:crypto'
import { createRequire } from 'node:module'

/** The schemas of the services, by the word of their settings. */
export const schemas = {
  projects: 'projects',
  annotations: 'annotations',
  jobs: 'requests',
  webhooks: 'webhooks',
}

/**
 * Makes a database with schemas and roles as an operator of a cluster does it, and answers `{access, isNew}`: `access` maps
 * a service to the addresses `{owner, writer}`, `isNew` tells that there was no such database. Roles belong to the whole
 * server, so their passwords follow from the administrator's: whatever system is started on it finds the same.
 */
export async function provideDatabase(admin, name) {
  const { provision } = await built('db/provision')
  const isNew = await createDatabase(admin, name)
  const url = new URL(admin)
  url.pathname = `/${name}`
  const passwordOf = (role) =>
    createHmac('sha256', new URL(admin).password).update(role).digest('base64url')
  const names = Object.values(schemas)
  const provided = await provision({
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
