import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ready, root } from './ready.mjs'

/**
 * `docs/openapi.json` is given to tools of others: a validator, and generators of clients in TypeScript and in Python, whose
 * warnings count as errors. What they make is compiled, and calls a running Reticle. Exit code 3: it was skipped, and why was said.
 */
const oracles = join(root, 'tests/oracles')
const folder = mkdtempSync(join(tmpdir(), 'reticle-generators-'))
const compiler = ['openapi-typescript@7.13.0', 'typescript@5.9.3']
try {
  copyFileSync(join(root, 'docs/openapi.json'), join(folder, 'openapi.json'))
  typeScript()
  python()
  console.log(
    'docs/openapi.json: valid, and clients in TypeScript and Python are generated and work',
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function typeScript() {
  const packages = compiler.flatMap((name) => ['--package', name])
  const npm = (command) => ['exec', '--yes', ...packages, '--call', command]
  if (!runs('npm', npm('tsc --version'), { stdio: ['ignore', 'ignore', 'inherit'] }))
    skipped('The npm packages of the generator for TypeScript cannot be had here.')
  copyFileSync(join(oracles, 'generated/use.ts'), join(folder, 'use.ts'))
  const options = {
    ...{ strict: true, noEmit: true, types: [], lib: ['es2023'] },
    ...{ module: 'nodenext', allowImportingTsExtensions: true },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
  must('npm', npm('openapi-typescript openapi.json --output document.ts && tsc --project .'))
}

function python() {
  const inside = environment()
  must(inside, ['-m', 'openapi_spec_validator', 'openapi.json'])
  const settings = [
    '--config',
    join(oracles, 'generator.yml'),
    '--meta',
    'none',
    '--fail-on-warning',
  ]
  const paths = ['--path', 'openapi.json', '--output-path', join(folder, 'reticle_client')]
  must(inside, ['-m', 'openapi_python_client', 'generate', ...paths, ...settings])
  must(inside, ['-m', 'compileall', '-q', 'reticle_client'])
  ready()
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli')
  const call = [tsx, '--conditions=@reticle/source', join(oracles, 'generated-client.ts')]
  must(process.execPath, [...call, inside, join(oracles, 'generated_client.py')])
}

/** Python with the packages of a list, in an environment of its own below `node_modules`, made once for each list. */
function environment() {
  const version = spawnSync('python3', ['--version'], { encoding: 'utf8' })
  if (version.status !== 0) skipped('There is no python3 on this machine.')
  const list = join(oracles, 'generators.txt')
  const wanted = createHash('sha256')
    .update(version.stdout)
    .update(readFileSync(list))
    .digest('hex')
  const place = join(root, 'node_modules/.cache/reticle-generators')
  const inside = join(place, 'bin/python')
  const mark = join(place, 'complete')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return inside
  rmSync(place, { recursive: true, force: true })
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', list]
  const isInstalled = runs('python3', ['-m', 'venv', place]) && runs(inside, install)
  if (!isInstalled)
    skipped('The Python packages of tests/oracles/generators.txt cannot be had here.')
  writeFileSync(mark, wanted)
  return inside
}

function runs(command, words, options = {}) {
  const { status } = spawnSync(command, words, { cwd: folder, stdio: 'inherit', ...options })
  return status === 0
}

function must(command, words) {
  if (runs(command, words)) return
  console.error(`docs/openapi.json: ${command} ${words.join(' ')} failed.`)
  rmSync(folder, { recursive: true, force: true })
  process.exit(1)
}

function skipped(reason) {
  const line = '!'.repeat(80)
  console.error(
    `${line}\nSKIPPED: docs/openapi.json is not given to generators. ${reason}\n${line}`,
  )
  rmSync(folder, { recursive: true, force: true })
  process.exit(3)
}
