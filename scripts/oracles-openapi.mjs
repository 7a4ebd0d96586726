import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Missing, oracles, pythonWith, unlessMissing } from './python.mjs'
import { prepareCheckout, root } from './ready.mjs'

/**
 * Passes `docs/openapi.json` to external tools: a validator, and generators of clients in TypeScript and Python, whose
 * warnings count as errors. The generated clients are compiled and call a running server. Exit code 3: skipped, with
 * the reason printed.
 */
const folder = mkdtempSync(join(tmpdir(), 'reticle-generators-'))
const compiler = ['openapi-typescript@7.13.0', 'typescript@5.9.3']
try {
  process.exitCode = unlessMissing('docs/openapi.json is not given to generators.', () => {
    copyFileSync(join(root, 'docs/openapi.json'), join(folder, 'openapi.json'))
    typeScript()
    python()
    console.log(
      'docs/openapi.json: valid, and clients in TypeScript and Python are generated and work',
    )
    return 0
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function typeScript() {
  const packages = compiler.flatMap((name) => ['--package', name])
  const npm = (command) => ['exec', '--yes', ...packages, '--call', command]
  if (!runs('npm', npm('tsc --version'), { stdio: ['ignore', 'ignore', 'inherit'] }))
    throw new Missing('The npm packages of the generator for TypeScript cannot be had here.')
  copyFileSync(join(oracles, 'generated/use.ts'), join(folder, 'use.ts'))
  const options = {
    ...{ strict: true, noEmit: true, types: [], lib: ['es2023'] },
    ...{ module: 'nodenext', allowImportingTsExtensions: true },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
  must('npm', npm('openapi-typescript openapi.json --output document.ts && tsc --project .'))
}

function python() {
  const inside = pythonWith('reticle-generators', 'generators.txt')
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
  prepareCheckout()
  const tsx = createRequire(join(root, 'package.json')).resolve('tsx/cli')
  const call = [tsx, '--conditions=@reticle/source', join(oracles, 'generated-client.ts')]
  must(process.execPath, [...call, inside, join(oracles, 'generated_client.py')])
}

function runs(command, words, options = {}) {
  const { status } = spawnSync(command, words, { cwd: folder, stdio: 'inherit', ...options })
  return status === 0
}

/** @throws Error, which ends the script with exit code 1 */
function must(command, words) {
  if (!runs(command, words))
    throw new Error(`docs/openapi.json: ${command} ${words.join(' ')} failed.`)
}
