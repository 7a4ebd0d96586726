import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { markedFor } from '../support/document-blocks.ts'
import { root } from '../support/root.ts'
import { chartFile, listWorkloads, renderWords } from './chart-tools.ts'

/** `docs/operations.md` describes the chart as helm renders it. */

const run = promisify(execFile)
const production = 'deploy/helm/values/production.yaml'
const document = 'docs/operations.md'
const [secrets = '', lines = ''] = markedFor(document, 'tests/cluster/chart-document.test.ts')
const [install = '', check = '', exec = '', ...others] = lines.trim().split('\n')
const text = readFileSync(join(root, document), 'utf8')

test('the documented secrets have the keys that pods read, and their addresses use existing roles', async () => {
  const env = { ...process.env, HOST: 'db', SECRET: 'x', ACCESS_KEY: 'a', SECRET_KEY: 's' }
  const script = `psql() { :; }\nkubectl() { printf '%s\\n' "$*"; }\n${secrets}`
  const { stdout } = await run('bash', ['-euc', script], { env })
  const made = [...stdout.matchAll(/create secret generic (\S+)(.*)/g)].flatMap(
    ([, name, rest = '']) =>
      [...rest.matchAll(/--from-literal=([\w-]+)=/g)].map(([, key]) => `${name} ${key}`),
  )
  const pods = listWorkloads(
    await renderWords(install.replace('my-values.yaml', production).split(' ').slice(2)),
  )
  const read = pods
    .flatMap(({ pod }) => pod.containers.flatMap(({ env }) => env))
    .flatMap(({ valueFrom }) => (valueFrom ? [valueFrom.secretKeyRef] : []))
    .filter(({ name }) => ['reticle-database', 'reticle-s3'].includes(name))
    .map(({ name, key }) => `${name} ${key}`)
  expect(made.sort()).toEqual([...new Set(read)].sort())

  const schemas = /array array\[('projects'.*)\]/.exec(
    readFileSync(join(root, 'deploy/docker/roles.sql'), 'utf8'),
  )
  const roles = [...(schemas?.[1] ?? '').matchAll(/\w+/g)].flatMap(([name]) => [
    `reticle_${name}`,
    `reticle_${name}_owner`,
  ])
  const users = [...stdout.matchAll(/postgresql:\/\/(\w+):/g)].map(([, user]) => user)
  expect(users.sort()).toEqual(roles.sort())
})

test('the documented commands install what helm renders with the example values', async () => {
  const words = install.replace('my-values.yaml', production).split(' ')
  expect(words.slice(0, 2)).toEqual(['helm', 'install'])
  const manifests = await renderWords(words.slice(2))
  const smoke = manifests.filter(
    ({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'test',
  )
  expect(smoke.map(({ kind }) => kind)).toEqual(['Pod'])
  expect(check).toBe('helm test reticle -n reticle --logs')
  expect(others).toEqual([])
  const upgrade = /`helm upgrade (reticle deploy\/helm\/reticle -n reticle) -f my-values.yaml`/
  const [, again] = upgrade.exec(text) ?? []
  expect(install).toContain(String(again))
})

test('the documented commands use existing deployments, and programs of their images', async () => {
  const words = install.replace('my-values.yaml', production).split(' ')
  const pods = listWorkloads(await renderWords(words.slice(2)))
  const entered = [...text.matchAll(/exec deploy\/(\S+) -- node ([^`\n]+)/g)]
  expect(entered.map(([line]) => line)).toContain(exec.replace('kubectl -n reticle ', ''))
  for (const [line, name, command = ''] of entered) {
    const found = pods.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)
    const [image = ''] = /[a-z]+-svc/.exec(found?.pod.containers[0]?.image ?? '') ?? []
    const [file = '', ...given] = command.split(' ')
    const program = [join(root, 'apps', image, file), ...given, '--help']
    const { stdout } = await run(process.execPath, program)
    expect(stdout, line).toContain(given.join(' '))
  }
})

test('the document names only values that the chart has', () => {
  const values: unknown = parse(chartFile('values.yaml'))
  const roots = Object.keys(z.looseObject({}).parse(values))
  const named = [...text.matchAll(/`([a-z]\w+(?:\.\w+)+)`/g)].flatMap(([, path = '']) =>
    roots.includes(path.split('.')[0] ?? '') ? [path] : [],
  )
  expect(named.length).toBeGreaterThan(5)
  const isThere = (path: string) =>
    path
      .split('.')
      .reduce<unknown>((one, key) => z.looseObject({}).safeParse(one).data?.[key], values) !==
    undefined
  expect(named.filter((path) => !isThere(path))).toEqual([])
})
