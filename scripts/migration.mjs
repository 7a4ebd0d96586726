import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `npm run migration -- <service> <name>`: creates the next migration of a service, and its entry in the list. */
const root = fileURLToPath(new URL('..', import.meta.url))
/** @param {string} service */
const foldersOf = (service) => join(root, 'apps', service, 'src/db/migrations')
const services = readdirSync(join(root, 'apps')).filter((app) => existsSync(foldersOf(app)))

const usage = `npm run migration -- <service> <name>

Writes apps/<service>/src/db/migrations/NNNN-<name>.ts with a step to fill in, and adds it to index.ts beside it.
Services: ${services.join(', ')}. The name says what changes, in kebab case.

Example:
  npm run migration -- projects-svc task-priority

Exit codes: 0 done, 1 the list of steps could not be changed, 2 called wrongly.
`

/** @param {string[]} words */
function main([given, name, ...more]) {
  if (given === '--help' || given === '-h') return process.stdout.write(usage)
  const service = services.find((one) => one === given || one === `${given}-svc`)
  const problem = problemOf({ given, service, name, more })
  if (problem || !service || !name) return fail(`${problem}\n\n${usage}`, 2)
  const folder = foldersOf(service)
  const step = `${nextNumber(folder)}-${name}`
  const index = join(folder, 'index.ts')
  const list = withStep(readFileSync(index, 'utf8'), step, variableOf(name))
  if (!list)
    return fail(`${index} has no list "export const migrations = {": add ${step} by hand`, 1)
  const file = join(folder, `${step}.ts`)
  writeFileSync(file, stepFile(variableOf(name)), { flag: 'wx' })
  writeFileSync(index, list)
  process.stdout.write(nextSteps({ service, step, file }))
}

/** @param {{given?: string, service?: string, name?: string, more: string[]}} call */
function problemOf({ given, service, name, more }) {
  if (!given) return 'Name a service and what changes.'
  if (!service) return `There is no service "${given}" with a schema.`
  if (!name || more.length > 0) return 'Name the step with one word, in kebab case: task-priority'
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    return `"${name}" is not in kebab case: task-priority`
  const known = readdirSync(foldersOf(service)).find((file) => file.slice(5) === `${name}.ts`)
  return (
    known && `${service} has ${known} already: a step never changes, name the new one otherwise.`
  )
}

/**
 * Returns the highest number plus one. Two branches that use the same number conflict when they are merged, as
 * intended.
 * @param {string} folder
 */
function nextNumber(folder) {
  const numbers = readdirSync(folder).map((file) => Number.parseInt(file, 10) || 0)
  return String(Math.max(0, ...numbers) + 1).padStart(4, '0')
}

/** @param {string} name */
const variableOf = (name) =>
  name.replace(/-([a-z0-9])/g, (_, /** @type {string} */ letter) => letter.toUpperCase())

/** @param {string} variable */
const stepFile = (variable) =>
  [
    "import type { MigrationStep } from '@reticle/kit/db/migrate'",
    "import { sql } from 'kysely'",
    '',
    '/** What becomes possible by this step, and why; replace this sentence. */',
    'const statements: readonly string[] = [',
    "  // One addition a line: 'alter table things add column note text',",
    ']',
    '',
    `export const ${variable}: MigrationStep = {`,
    '  up: async (db) => {',
    '    for (const statement of statements) await sql.raw(statement).execute(db)',
    '  },',
    '}',
    '',
  ].join('\n')

/**
 * Adds a migration to the list; returns undefined if the list has an unexpected form.
 * @param {string} text
 * @param {string} step
 * @param {string} variable
 */
function withStep(text, step, variable) {
  const list = /export const migrations(: Migrations)? = \{([^}]*)\}/.exec(text)
  if (!list) return undefined
  const [whole, type = '', inside = ''] = list
  const entries = inside.split(',').flatMap((entry) => entry.trim() || [])
  const lines = [...entries, `'${step}': ${variable}`].map((entry) => `  ${entry},\n`).join('')
  const replaced = text.replace(whole, () => `export const migrations${type} = {\n${lines}}`)
  const imports = [...replaced.matchAll(/^import .* from '\.\/.*'\n/gm)]
  const last = imports.at(-1)
  const at = last ? last.index + last[0].length : 0
  return `${replaced.slice(0, at)}import { ${variable} } from './${step}.ts'\n${replaced.slice(at)}`
}

/** @param {{service: string, step: string, file: string}} made */
const nextSteps = ({ service, step, file }) => `${file}

Next:
  1. Fill in ${step}.ts: add only; what goes away goes a release later (docs/how-to/add-migration.md).
  2. npm run codegen        writes apps/${service}/src/db/schema.ts from the migrated database
  3. npx vitest run --project unit apps/${service}
  4. Commit both files, index.ts and schema.ts together.
`

/**
 * @param {string} text
 * @param {number} code
 */
function fail(text, code) {
  process.stderr.write(`${text}\n`)
  process.exitCode = code
}

main(process.argv.slice(2))
