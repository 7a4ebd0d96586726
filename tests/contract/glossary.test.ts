import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../support/root.ts'
import { readSources } from './sources.ts'

const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
const rows = [
  ...glossary.matchAll(/^\| (?!Term|---)(.+?) \| (.+?) \|(?: (.+?))? \|(?: (.+?))? \|$/gm),
]
const namesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

const services = {
  annotations: 'annotations',
  projects: 'projects',
  requests: 'jobs',
  webhooks: 'webhooks',
}
const schemaOf = (service: string) =>
  readFileSync(join(root, `apps/${service}-svc/src/db/schema.ts`), 'utf8')

describe('docs/glossary.md', () => {
  test('explains each term once, in a table', () => {
    const terms = rows.map(([, term]) => term)
    expect(terms.length).toBeGreaterThan(70)
    expect(new Set(terms).size).toBe(terms.length)
  })

  test('names tables that exist', () => {
    const tables = new Set(
      Object.entries(services).flatMap(([schema, service]) =>
        [...schemaOf(service).matchAll(/^ {2}(\w+): \w+Table$/gm)].map(
          ([, name]) => `${schema}.${name}`,
        ),
      ),
    )
    const named = rows.flatMap(([, , , cell]) => namesIn(cell))
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => !tables.has(name))).toEqual([])
  })

  test('names types that are exported', () => {
    const exported = new Set(
      readSources().flatMap(({ text }) =>
        [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name),
      ),
    )
    const named = rows.flatMap(([, , , , cell]) => namesIn(cell))
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !exported.has(name))).toEqual([])
  })
})
