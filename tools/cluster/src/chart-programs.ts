import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureCached } from './cache.mjs'
import { reportProgress, runTool } from './tools.mjs'

/** Programs that check the chart, built from their Go modules once and kept in the same cache as servers. */

const programs: Record<string, { module: string; version: string }> = {
  helm: { module: 'helm.sh/helm/v3/cmd/helm', version: '3.22.0' },
  kubeconform: { module: 'github.com/yannh/kubeconform/cmd/kubeconform', version: '0.8.0' },
}

/**
 * Returns the path of the program.
 * @throws MissingTool without Go
 */
export async function findProgram(name: string): Promise<string> {
  const program = programs[name]
  if (!program) throw new Error(`there is no program ${name}`)
  const { module, version } = program
  const folder = await ensureCached(name, version, (half) =>
    reportProgress(`Building ${name} ${version}`, () => install(`${module}@v${version}`, half)),
  )
  return join(folder, name)
}

/** Go verifies modules against its checksum database. */
async function install(module: string, folder: string): Promise<void> {
  const env = { ...process.env, GOBIN: folder, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' }
  await runTool('go', ['install', '-trimpath', '-ldflags', '-s -w', module], { env })
}

/** `node tools/cluster/dist/chart-programs.js helm` prints the path of helm. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of process.argv.slice(2)) process.stdout.write(`${await findProgram(name)}\n`)
}
