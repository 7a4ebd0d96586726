import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testDatabase } from '@reticle/kit/testing/db'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { markedFor } from '../support/document-blocks.ts'
import { root } from '../support/root.ts'

/** `npm run migration`, run on a copy of the services' migrations. */
const copy = mkdtempSync(join(tmpdir(), 'reticle-migration-'))
const folder = (service: string) => `apps/${service}/src/db/migrations`
const services = ['projects-svc', 'annotations-svc', 'jobs-svc', 'webhooks-svc']
const stepsOf = (service: string) => readdirSync(join(copy, folder(service))).sort()
const stepFiles = (service: string) =>
  readdirSync(join(root, folder(service)))
    .filter((name) => name !== 'index.ts')
    .sort()
const countOf = (service: string) => stepFiles(service).length
/** Numbers may have gaps, because branches are merged one by one. */
const nextOf = (service: string) => Number.parseInt(stepFiles(service).at(-1) ?? '0', 10) + 1

beforeAll(() => {
  cpSync(join(root, 'scripts/migration.mjs'), join(copy, 'scripts/migration.mjs'))
  for (const one of services)
    cpSync(join(root, folder(one)), join(copy, folder(one)), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

function migration(...words: string[]) {
  const run = spawnSync(process.execPath, [join(copy, 'scripts/migration.mjs'), ...words], {
    encoding: 'utf8',
  })
  return { code: run.status, out: run.stdout, err: run.stderr }
}

test.each(services)('a new migration of %s is found and applied', async (service) => {
  const number = String(nextOf(service)).padStart(4, '0')
  const step = `${number}-some-note`
  const { code, out } = migration(service, 'some-note')
  expect(code).toBe(0)
  expect(out).toContain(`${step}.ts`)
  expect(out).toContain('npm run codegen')
  expect(stepsOf(service)).toContain(`${step}.ts`)

  const { migrations } = await import(join(copy, folder(service), 'index.ts'))
  expect(Object.keys(migrations)).toHaveLength(countOf(service) + 1)
  const schema = { 'jobs-svc': 'requests' }[service] ?? service.replace('-svc', '')
  const { pool } = await testDatabase<unknown>([{ schema, migrations }])
  const { rows } = await pool.query(
    `select name from ${schema}.migrations order by name desc limit 1`,
  )
  expect(rows).toEqual([{ name: step }])
})

test('the command of the how-to creates a migration', () => {
  const how = 'docs/how-to/add-migration.md'
  const [line = ''] = markedFor(how, 'tests/contract/migration.test.ts')
  const [, words = ''] = /^npm run migration -- (.*)\n$/.exec(line) ?? []
  const { code, out } = migration(...words.split(' '))
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining(how) })
  expect(stepsOf('projects-svc').at(-2)).toMatch(/^\d{4}-task-priority\.ts$/)
})

test('a created migration is formatted', () => {
  migration('jobs', 'one-more')
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  for (const name of ['index.ts', ...stepsOf('jobs-svc').filter((one) => /one-more/.test(one))]) {
    const text = readFileSync(join(copy, folder('jobs-svc'), name), 'utf8')
    const path = `${folder('jobs-svc')}/${name}`
    const args = [biome, 'format', `--stdin-file-path=${path}`]
    const { stdout } = spawnSync(process.execPath, args, {
      cwd: root,
      input: text,
      encoding: 'utf8',
    })
    expect(stdout, name).toBe(text)
  }
})

test.each([
  [[], 'Name a service and what changes'],
  [['store-svc', 'x'], 'There is no service "store-svc"'],
  [['gateway', 'x'], 'There is no service "gateway"'],
  [['projects-svc'], 'Name the step with one word'],
  [['projects-svc', 'Two Words'], '"Two Words" is not in kebab case'],
  [['projects-svc', 'workspace'], 'projects-svc has 0002-workspace.ts already'],
])('the arguments %j are refused with a reason and the usage', (words, sentence) => {
  const { code, err } = migration(...words)
  expect(code).toBe(2)
  expect(err).toContain(sentence)
  expect(err).toContain('npm run migration -- <service> <name>')
})
