import pg from 'pg'

/** Names of the two roles of a schema: one migrates it, the other reads and writes its rows. */
export const ownerOf = (schema: string) => `reticle_${schema}_owner`
export const writerOf = (schema: string) => `reticle_${schema}`

export interface Provision {
  /** Address of an administrator in the database to set up. */
  admin: string
  schemas: readonly string[]
  /** Schema whose rows every other role may read and write: the log of the embedded bus. */
  shared?: string
  /** Extensions for the migrations; owners of schemas may not create them. */
  extensions?: readonly string[]
  passwordOf: (role: string) => string
}

/** Addresses of one schema: `owner` for its migrations, `writer` for its service. */
export interface Access {
  owner: string
  writer: string
}

/**
 * Creates or updates schemas and roles. A role has access to its own schema and to `shared`, which are also its search
 * path, and to no other. May run at every start.
 */
export async function provisionSchemas({
  admin,
  schemas,
  shared,
  extensions = [],
  passwordOf,
}: Provision): Promise<Map<string, Access>> {
  const client = new pg.Client({ connectionString: admin })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(hashtext('reticle.provision'))`)
    await client.query('revoke create on schema public from public')
    for (const name of extensions) {
      const extension = pg.escapeIdentifier(name)
      await client.query(`create extension if not exists ${extension} schema public`)
    }
    for (const schema of shared === undefined ? schemas : [shared, ...schemas]) {
      const path = schema === shared || shared === undefined ? [schema] : [schema, shared]
      for (const role of [ownerOf(schema), writerOf(schema)]) {
        await provideRole(client, { role, path, password: passwordOf(role) })
      }
      await provideSchema(client, schema)
      if (shared !== undefined && schema !== shared) await grantShared(client, shared, schema)
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
  return new Map(schemas.map((schema) => [schema, accessTo(admin, schema, passwordOf)]))
}

/** Returns the addresses of the roles of `schema`, on the server and in the database of `admin`. */
export function accessTo(
  admin: string,
  schema: string,
  passwordOf: Provision['passwordOf'],
): Access {
  const as = (role: string) => {
    const url = new URL(admin)
    url.username = role
    url.password = passwordOf(role)
    return url.href
  }
  return { owner: as(ownerOf(schema)), writer: as(writerOf(schema)) }
}

async function provideRole(
  client: pg.Client,
  { role, path, password }: { role: string; path: string[]; password: string },
) {
  const name = pg.escapeIdentifier(role)
  const known = await client.query('select 1 from pg_roles where rolname = $1', [role])
  if (known.rowCount === 0) await client.query(`create role ${name}`)
  await client.query(`alter role ${name} with login password ${pg.escapeLiteral(password)}`)
  await client.query(
    `alter role ${name} set search_path = ${path.map(pg.escapeIdentifier).join(', ')}`,
  )
}

async function provideSchema(client: pg.Client, schema: string) {
  const name = pg.escapeIdentifier(schema)
  const owner = pg.escapeIdentifier(ownerOf(schema))
  const writer = pg.escapeIdentifier(writerOf(schema))
  const rows = 'select, insert, update, delete'
  // An administrator who is not a superuser may assign a schema only to a role that he is a member of.
  const { rows: me } = await client.query(
    'select rolsuper from pg_roles where rolname = current_user',
  )
  if (!me[0]?.rolsuper) await client.query(`grant ${owner} to current_user`)
  await client.query(`create schema if not exists ${name} authorization ${owner}`)
  await client.query(`revoke all on schema ${name} from public`)
  await client.query(`grant usage on schema ${name} to ${writer}`)
  await client.query(`grant ${rows} on all tables in schema ${name} to ${writer}`)
  await client.query(`grant usage, select on all sequences in schema ${name} to ${writer}`)
  const byDefault = `alter default privileges for role ${owner} in schema ${name}`
  await client.query(`${byDefault} grant ${rows} on tables to ${writer}`)
  await client.query(`${byDefault} grant usage, select on sequences to ${writer}`)
}

/** Grants the role of the shared schema to the owner as well, because migrations may read the shared tables. */
async function grantShared(client: pg.Client, shared: string, schema: string) {
  const writer = pg.escapeIdentifier(writerOf(shared))
  for (const role of [ownerOf(schema), writerOf(schema)]) {
    await client.query(`grant ${writer} to ${pg.escapeIdentifier(role)}`)
  }
}
