import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tables } from '@reticle/contracts'
import { restOperations } from '@reticle/contracts/api/index'
import { buildOpenapi } from '@reticle/contracts/openapi'
import { protoFiles } from '@reticle/kit/rpc/wire/proto-files'
import { chartSchema } from './chart-schema.ts'
import { formatsPage } from './formats.ts'
import { permissionsPage } from './permissions.ts'
import { sdkFiles } from './sdk.ts'

/** Root folder of the repository. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

const chartValues = 'deploy/helm/reticle/values.schema.json'

/**
 * Returns every generated and committed file by its path from the root; `write.ts` writes them, and a test compares
 * them.
 */
export function generatedFiles(): Record<string, string> {
  const proto = protoFiles(tables, readProto())
  const inFolder = Object.entries(proto).map(([name, text]) => [`proto/${name}`, text])
  return {
    ...Object.fromEntries(inFolder),
    [chartValues]: chartSchema(readFileSync(`${root}/${chartValues}`, 'utf8')),
    ...sdkFiles(),
    'docs/formats.md': formatsPage(),
    'docs/permissions.md': permissionsPage(),
    'docs/openapi.json': `${JSON.stringify(buildOpenapi(restOperations), null, 2)}\n`,
  }
}

function readProto(): Record<string, string> {
  const names = readdirSync(`${root}/proto`).filter((name) => name.endsWith('.proto'))
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(`${root}/proto/${name}`, 'utf8')]),
  )
}
