import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureCached } from '../local/cache.mjs'
import { reportProgress, runTool } from '../local/tools.mjs'

/** Programs that check the chart, built from their Go modules once and kept in the cache of `deploy/local`. */

const programs = {
  helm: { module: 'helm.sh/helm/v3/cmd/helm', version: '3.22.0' },
  kubeconform: { module: 'github.com/yannh/kubeconform/cmd/kubeconform', version: '0.8.0' },
}

/**
 * Returns the path of the program.
 * @throws MissingTool without Go
 */
export async function findProgram(name) {
  const { module, version } = programs[name]
  const folder = await ensureCached(name, version, (half) =>
    reportProgress(`Building ${name} ${version}`, () => install(`${module}@v${version}`, half)),
  )
  return join(folder, name)
}

/** Go verifies modules against its checksum database. */
async function install(module, folder) {
  const env = { ...process.env, GOBIN: folder, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' }
  await runTool('go', ['install', '-trimpath', '-ldflags', '-s -w', module], { env })
}

/** `node deploy/helm/tools.mjs helm` prints the path of helm. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of process.argv.slice(2)) process.stdout.write(`${await findProgram(name)}\n`)
}
