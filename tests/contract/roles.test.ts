import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownerOf, provisionSchemas, writerOf } from '@reticle/kit/db/provision'
import { testDatabase } from '@reticle/kit/testing/db'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { markedFor } from '../support/document-blocks.ts'
import { root } from '../support/root.ts'

/**
 * `deploy/docker/roles.sql` creates the same roles as the embedded mode. Roles are global to a server, so each run uses
 * its own names.
 */

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

/** Facts about a schema and the rights of its roles, with names without their suffix. */
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

/** Roles of schemas in the order of the script, without "reticle_". */
const rolesOf = (all: readonly string[]) => all.flatMap((schema) => [`${schema}_owner`, schema])
const ownPasswords = Object.fromEntries(rolesOf(named('sql')).map((role) => [role, `of_${role}`]))

async function runScript(passwords: Readonly<Record<string, string>> = ownPasswords) {
  const options = Object.entries(passwords).map(
    ([role, one]) => `-c reticle.${role}_password=${one}`,
  )
  const client = new pg.Client({ connectionString: url, options: options.join(' ') })
  await client.connect()
  const quoted = schemas.map((schema) => `'${schema}'`).join(', ')
  const own = named('sql').map((schema) => `'${schema}'`)
  expect(script).toContain(`array[${quoted}]`)
  try {
    await client.query(script.replace(quoted, own.join(', ')))
  } finally {
    await client.end()
  }
}

test('the script creates the roles and schemas of the services, and can be run again', async () => {
  await provisionSchemas({ admin: url, schemas: named('kit'), passwordOf: () => 'secret' })
  await runScript()
  await runScript()
  const expected = await factsOf('kit')
  expect(expected).toHaveLength(4)
  expect(await factsOf('sql')).toEqual(expected)
})

async function searchPathAs(role: string, password: string) {
  const address = new URL(url)
  address.username = `reticle_${role}`
  address.password = password
  const client = new pg.Client({ connectionString: address.href })
  await client.connect()
  const { rows } = await client.query('show search_path')
  await client.end()
  return rows[0]?.search_path
}

test('every role can sign in only with its own password', async () => {
  await runScript()
  for (const role of rolesOf(named('sql'))) {
    const path = await searchPathAs(role, ownPasswords[role] ?? '')
    expect(path, role).toBe(role.replace(/_owner$/, ''))
  }
  const [owner = '', writer = ''] = rolesOf(named('sql'))
  const wrong = searchPathAs(writer, ownPasswords[owner] ?? '')
  await expect(wrong).rejects.toThrow('password authentication failed')
})

const [first = '', second = ''] = rolesOf(named('sql'))
test.each([
  [
    'one role without a password',
    { ...ownPasswords, [second]: '' },
    `set reticle.${second}_password`,
  ],
  ['no role has a password', {}, `set reticle.${first}_password`],
  ['the former shared password', { sql: 'shared' }, 'has no password'],
  [
    'one for two roles',
    { ...ownPasswords, [second]: `of_${first}` },
    'the password of another role',
  ],
])('the script refuses passwords: %s', async (_, passwords, text) => {
  await expect(runScript(passwords)).rejects.toThrow(text)
})

const every = rolesOf(schemas)

test('compose gives every role a separate password, and each service the address of its role', () => {
  const compose = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8')
  const variableOf = (role: string) => `${role.toUpperCase()}_PASSWORD`
  const { services } = parse(compose, { merge: true })
  const given = [...services.postgres.environment.PGOPTIONS.matchAll(/-c (\S+)=\$\{(\w+):/g)]
  expect(given.map(([, setting, variable]) => `${setting} ${variable}`).sort()).toEqual(
    every.map((role) => `reticle.${role}_password ${variableOf(role)}`).sort(),
  )
  const addresses = [...compose.matchAll(/postgresql:\/\/reticle_(\w+):\$\{(\w+):/g)]
  expect(addresses.map(([, role]) => role).sort()).toEqual([...every].sort())
  for (const [, role = '', variable] of addresses) expect(variable).toBe(variableOf(role))
  const example = readFileSync(join(root, 'deploy/.env.example'), 'utf8')
  for (const role of every) expect(example).toMatch(new RegExp(`^${variableOf(role)}=$`, 'm'))
})

test('the documented commands create a password for every role and use it in its address', () => {
  const [lines = ''] = markedFor('docs/operations.md', 'tests/cluster/chart-document.test.ts')
  const stubs = `psql() { echo "$PGOPTIONS"; }\nkubectl() { printf '%s\\n' "$*"; }\n`
  const env = { ...process.env, HOST: 'db', SECRET: 'x', ACCESS_KEY: 'a', SECRET_KEY: 's' }
  const { stdout, status } = spawnSync('bash', ['-euc', stubs + lines], { env, encoding: 'utf8' })
  expect(status).toBe(0)
  const set = [...stdout.matchAll(/-c reticle\.(\w+)_password=(\w{48})\b/g)]
  const used = [...stdout.matchAll(/postgresql:\/\/reticle_(\w+):(\w+)@/g)]
  const pairs = (found: RegExpMatchArray[]) => found.map(([, role, one]) => `${role} ${one}`).sort()
  expect(pairs(used)).toEqual(pairs(set))
  expect(set.map(([, role]) => role).sort()).toEqual([...every].sort())
  expect(new Set(set.map(([, , one]) => one)).size).toBe(every.length)
})
