import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/root.ts'
import { filesImportedBy, filesReachedFrom, readSources } from './sources.ts'

/** The traces in docs/architecture.md agree with the imports of the files that they name. */

const sources = readSources().filter(({ isTest }) => !isTest)
const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const steps = stepsOf('## Follow one request')
const exportSteps = stepsOf('## Follow one export')

/** Returns the steps of the table below a heading. */
function stepsOf(heading: string) {
  const [, section = ''] = text.split(heading)
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/^\| (\d+) \|(.*)\|$/gm)].map(([, number, row = '']) => ({
    number: Number(number),
    paths: pathsIn(row),
  }))
}

/** Returns the paths in a row. A short path such as `policy.ts` is beside the last complete one. */
function pathsIn(row: string): string[] {
  const named = [...row.matchAll(/`([\w./-]+(?:\.(?:ts|proto)|\/))`/g)].map(([, path = '']) => path)
  let folder = ''
  return named.map((path) => {
    const isWhole = /^(apps|packages|proto)\//.test(path)
    if (isWhole && !path.startsWith('proto/')) folder = path.endsWith('/') ? path : dirname(path)
    return isWhole ? path : join(folder, path)
  })
}

/** Returns the first path of a step. */
const stepPath = (number: number) => steps.find((step) => step.number === number)?.paths[0] ?? ''

const importedBy = (path: string) => {
  const source = sources.find((one) => one.path === path)
  return source ? filesImportedBy(source) : []
}

/** Entry point of the app of a step. */
const entryOf = (number: number) => `${/^apps\/[^/]+/.exec(stepPath(number))?.[0]}/src/main.ts`

test('the trace has eight steps, and every file and folder that it names exists', () => {
  expect(steps.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  const paths = steps.flatMap((step) => step.paths)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test.each([
  ['the hooks and routes of the gateway', 2, 3],
  ['the handlers, the table of operations', 5, 1],
  ['the handlers, the SQL', 5, 6],
])('%s: step %i imports step %i', (_, from, to) => {
  expect(importedBy(stepPath(from))).toContain(stepPath(to))
})

test.each([
  ['the gateway', 2, [1, 2, 3]],
  ['projects-svc', 5, [1, 4, 5, 6, 7]],
  ['webhooks-svc', 8, [8]],
] as const)('%s loads the files of its steps', (_, app, own) => {
  const reached = [...filesReachedFrom(entryOf(app), sources)]
  const paths = steps.filter(({ number }) => own.some((one) => one === number))
  const missing = paths
    .flatMap((step) => step.paths)
    .filter((path) => !path.startsWith('proto/'))
    .filter((path) => !reached.some((one) => one.startsWith(path)))
  expect(missing).toEqual([])
})

test('the handler of step 5 implements the operation of step 1', () => {
  const textOf = (number: number) =>
    sources.find(({ path }) => path === stepPath(number))?.text ?? ''
  expect(textOf(1)).toMatch(/\bupdateProject: patch\(\s*'\/projects\/:id'/)
  expect(textOf(5)).toMatch(/\bupdateProject\b/)
})

test('the trace of an export has eleven steps, and every file and folder that it names exists', () => {
  expect(exportSteps.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  const paths = exportSteps.flatMap((step) => step.paths)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  expect(paths.length).toBeLessThanOrEqual(40)
})

test.each([
  ['jobs-svc', 'apps/jobs-svc/src/main.ts', [1, 2, 10]],
  ['a worker', 'apps/jobs-svc/src/worker.ts', [3, 4, 9]],
  ['a converter', 'apps/jobs-svc/src/convert.ts', [5, 6, 7, 8]],
  ['the gateway', 'apps/gateway/src/main.ts', [1]],
] as const)('%s loads the files of its steps of an export', (_, entry, own) => {
  const reached = [...filesReachedFrom(entry, sources)]
  const missing = exportSteps
    .filter(({ number }) => own.some((one) => one === number))
    .flatMap((step) => step.paths)
    .filter((path) => !reached.some((one) => one.startsWith(path)))
  expect(missing).toEqual([])
})

test('the operation of step 2 is the one of step 1, and the gateway serves its file', () => {
  const textOf = (path = '') => sources.find((one) => one.path === path)?.text ?? ''
  const firstOf = (number: number) => exportSteps.find((step) => step.number === number)?.paths[0]
  expect(textOf(firstOf(1))).toMatch(
    /\bexportProjectDataset: post\(\s*'\/projects\/:id\/dataset\/export'/,
  )
  expect(textOf(firstOf(2))).toMatch(/\bexportProjectDataset\b/)
  expect(textOf(firstOf(11))).toMatch(/\bdownloadProjectDataset\b/)
})
