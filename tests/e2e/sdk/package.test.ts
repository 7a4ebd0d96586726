import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../support/reticle.ts'

/** The package as it would be published: packed, unpacked in an empty folder, imported and compiled there. */

const run = promisify(execFile)
const packageFolder = join(root, 'packages/sdk')
const place = mkdtempSync(join(tmpdir(), 'reticle-pack-'))
const installed = join(place, 'node_modules/@reticle/sdk')
let files: string[]

beforeAll(async () => {
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', place]
  const { stdout } = await run('npm', pack, { cwd: packageFolder })
  const [packed] = Object.values<{ filename: string; files: { path: string }[] }>(
    JSON.parse(stdout),
  )
  if (!packed) throw new Error(stdout)
  files = packed.files.map(({ path }) => path)
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', join(place, packed.filename), '-C', installed, '--strip-components=1'])
  writeFileSync(join(place, 'package.json'), '{"type":"module"}')
}, 60_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

test('the package contains code, types, license and README', () => {
  const others = files.filter((path) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(path))
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json'])
  const license = (folder: string) => readFileSync(join(folder, 'LICENSE'), 'utf8')
  expect(license(installed)).toBe(license(root))
  expect(files.filter((path) => /testing|test/.test(path))).toEqual([])
  const { dependencies, private: isPrivate } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  )
  expect([dependencies, isPrivate]).toEqual([undefined, undefined])
})

test('the package can be imported without any dependency', async () => {
  const script = `
    import { apiVersion, createClient } from '@reticle/sdk'
    import { fromPath } from '@reticle/sdk/node'
    const { size } = await fromPath('package.json')
    console.log(apiVersion, typeof createClient({ url: 'http://x' }).getProject, size)`
  writeFileSync(join(place, 'run.mjs'), script)
  const { stdout } = await run(process.execPath, ['run.mjs'], { cwd: place })
  expect(stdout).toBe('2.58.1 function 17\n')
})

const options = [
  ...['--noEmit', '--strict', '--module', 'nodenext'],
  ...['--target', 'es2023', '--skipLibCheck', 'false', '--checkers', '1'],
]
const strictest = '--exactOptionalPropertyTypes'
const browser = ['--lib', 'es2023,dom,dom.iterable,dom.asynciterable', '--types', '']
const node = [
  '--lib',
  'es2023',
  '--types',
  'node',
  '--typeRoots',
  join(root, 'node_modules/@types'),
]

const compile = async (cwd: string, file: string, platform: string[]) => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const given = [tsc, ...options, ...platform, file]
  return run(process.execPath, given, { cwd })
    .then(() => '')
    .catch((failed: { stdout: string }) => failed.stdout)
}

const program = `
  import { createClient, type Project } from '@reticle/sdk'
  const client = createClient({ url: 'http://x', token: 't' })
  export const project: Promise<Project> = client.getProject({ id: 7 })
  for await (const { name } of client.listProjects.each()) name.toUpperCase()
  // @ts-expect-error an id is a number
  client.getProject({ id: '7' })
`

test('its types compile in a browser and in Node.js without other types', async () => {
  writeFileSync(join(place, 'browser.mts'), program)
  expect(await compile(place, 'browser.mts', [...browser, strictest])).toBe('')
  writeFileSync(
    join(place, 'node.mts'),
    `${program}
    import { saveTo } from '@reticle/sdk/node'
    export const saved = saveTo(client, '/api/x', 'x')`,
  )
  expect(await compile(place, 'node.mts', [...node, strictest])).toBe('')
})

test('its main entry uses nothing of Node.js', async () => {
  const source = [...browser, '--ignoreConfig', '--allowImportingTsExtensions']
  expect(await compile(packageFolder, 'src/index.ts', source)).toBe('')
  const seen = new Set([join(installed, 'dist/index.js')])
  for (const path of seen) {
    const text = readFileSync(path, 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:from|import)\s*\(?['"]([^'"]+)['"]/g)) {
      expect(name, path).toMatch(/^\.{1,2}\//)
      seen.add(join(dirname(path), name))
    }
  }
  expect(seen.size).toBeGreaterThan(15)
  expect([...seen].some((path) => path.endsWith('/node.js'))).toBe(false)
})
