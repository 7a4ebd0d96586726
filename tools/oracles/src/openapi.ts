import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '@reticle/scripts/ready'
import { ownFolder, runProgram, sourceCommand } from './programs.ts'
import { Missing, pythonWith, unlessMissing } from './python.ts'

const compiler = ['openapi-typescript@7.13.0', 'typescript@5.9.3']

/**
 * Passes `docs/openapi.json` to external tools: a validator, and generators of clients in TypeScript and Python, whose
 * warnings count as errors. The generated clients are compiled and call a running server.
 * @returns the exit code: 3 if it was skipped, with the reason printed
 */
export function checkOpenapi(): number {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-generators-'))
  try {
    return unlessMissing('docs/openapi.json is not given to generators.', () => {
      copyFileSync(join(root, 'docs/openapi.json'), join(folder, 'openapi.json'))
      generateTypeScript(folder)
      generatePython(folder)
      console.log(
        'docs/openapi.json: valid, and clients in TypeScript and Python are generated and work',
      )
      return 0
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function generateTypeScript(folder: string): void {
  const packages = compiler.flatMap((name) => ['--package', name])
  const npm = (call: string) => ['npm', 'exec', '--yes', ...packages, '--call', call]
  if (!runProgram(npm('tsc --version'), folder, ['ignore', 'ignore', 'inherit']))
    throw new Missing('The npm packages of the generator for TypeScript cannot be had here.')
  copyFileSync(join(ownFolder, 'generated/use.ts'), join(folder, 'use.ts'))
  const options = {
    strict: true,
    noEmit: true,
    types: [],
    lib: ['es2023'],
    module: 'nodenext',
    allowImportingTsExtensions: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
  must(npm('openapi-typescript openapi.json --output document.ts && tsc --project .'), folder)
}

function generatePython(folder: string): void {
  const inside = pythonWith('reticle-generators', 'generators.txt')
  must([inside, '-m', 'openapi_spec_validator', 'openapi.json'], folder)
  const settings = [
    '--config',
    join(ownFolder, 'generator.yml'),
    '--meta',
    'none',
    '--fail-on-warning',
  ]
  const paths = ['--path', 'openapi.json', '--output-path', join(folder, 'reticle_client')]
  must([inside, '-m', 'openapi_python_client', 'generate', ...paths, ...settings], folder)
  must([inside, '-m', 'compileall', '-q', 'reticle_client'], folder)
  const program = join(ownFolder, 'generated_client.py')
  must(sourceCommand('generated-client.ts', inside, program), folder)
}

/** @throws Error, which ends the program with exit code 1 */
function must(command: readonly string[], folder: string): void {
  if (!runProgram(command, folder))
    throw new Error(`docs/openapi.json: ${command.join(' ')} failed.`)
}
