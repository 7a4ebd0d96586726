import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownerOf, provision, writerOf } from '@reticle/kit/db/provision'
import { testDatabase } from '@reticle/kit/testing/db'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { root } from '../support/root.ts'

/** `deploy/docker/roles.sql` makes what the embedded mode makes for itself. Roles belong to the whole server: names of this run's own. */

const run = randomBytes(3).toString('hex')
const schemas = ['projects', 'annotations', 'requests', 'webhooks']
const script = readFileSync(join(root, 'deploy/docker/roles.sql'), 'utf8')
const { url, pool } = await testDatabase<object>([])
const named = (suffix: string) => schemas.map((schema) => `${schema}_${suffix}${run}`)

afterAll(async () => {
  for (const schema of [...named('sql'), ...named('kit')]) {
    for (const role of [writerOf(schema), ownerOf(schema)]) {
      await pool.query(`drop owned by ${role} cascade; drop role ${role}`)
    }
  }
})

/** What a schema is, and what its roles may do in it; names without their suffix. */
async function factsOf(suffix: string) {
  const { rows } = await pool.query(
    `select nspname as name, nspowner::regrole::text as owner, nspacl::text as rights,
       (select array_agg(defaclobjtype::text || ' ' || defaclacl::text order by defaclobjtype)
        from pg_default_acl where defaclnamespace = pg_namespace.oid) as later,
       (select array_agg(rolname || ' ' || rolcanlogin || ' ' || rolconfig::text order by rolname)
        from pg_roles where rolname in ('reticle_' || nspname, 'reticle_' || nspname || '_owner')) as roles
     from pg_namespace where nspname = any($1) order by nspname`,
    [named(suffix)],
  )
  return JSON.parse(JSON.stringify(rows).replaceAll(`_${suffix}${run}`, ''))
}

async function runScript(): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c reticle.password=secret' })
  await client.connect()
  const quoted = schemas.map((schema) => `'${schema}'`).join(', ')
  const own = named('sql').map((schema) => `'${schema}'`)
  expect(script).toContain(`array[${quoted}]`)
  await client.query(script.replace(quoted, own.join(', ')))
  await client.end()
}

test('the script makes the roles and schemas of the services, and may be run again', async () => {
  await provision({ admin: url, schemas: named('kit'), passwordOf: () => 'secret' })
  await runScript()
  await runScript()
  const wanted = await factsOf('kit')
  expect(wanted).toHaveLength(4)
  expect(await factsOf('sql')).toEqual(wanted)
})

test('roles come in with the password that the script was told', async () => {
  await runScript()
  const address = new URL(url)
  address.username = writerOf(named('sql')[0] ?? '')
  address.password = 'secret'
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  expect((await client.query('show search_path')).rows[0]?.search_path).toBe(named('sql')[0])
  await client.end()
})
