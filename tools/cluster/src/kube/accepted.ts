import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import type { KubeCall } from './control-plane.ts'

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
})
type Manifest = z.infer<typeof manifest>

interface AcceptanceInput {
  api: KubeCall
  namespace: string
  /** The rendered chart. */
  text: string
}

/**
 * Sends every manifest of a rendered chart to the API server with strict validation and without storing it. `helm
 * --dry-run=server` reads lookups from the server but does not send it the manifests, so it would not detect a misspelt
 * field.
 *
 * @returns the number of manifests; @throws Error with the server's message about the first refusal or warning
 */
export async function expectAccepted({ api, namespace, text }: AcceptanceInput): Promise<number> {
  const manifests = manifestsOf(text)
  const accounts: string[] = []
  try {
    for (const manifest of manifests) {
      const path = await pathOf(api, namespace, manifest)
      const isAccount = manifest.kind === 'ServiceAccount' // a pod is refused if its service account does not exist
      if (isAccount) accounts.push(`${path}/${manifest.metadata.name}`)
      await offer(api, path, manifest, isAccount)
    }
  } finally {
    for (const path of accounts) await api('DELETE', path)
  }
  return manifests.length
}

function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document): unknown => document.toJS())
    .filter((given) => given !== null)
    .map((given) => manifest.parse(given))
}

/** The server only warns if the pods of a deployment or a job would be refused. */
async function offer(
  api: KubeCall,
  path: string,
  manifest: Manifest,
  isKept: boolean,
): Promise<void> {
  const query = `fieldValidation=Strict${isKept ? '' : '&dryRun=All'}`
  await api('POST', `${path}?${query}`, manifest, (warning) => {
    throw new Error(`${manifest.kind} ${manifest.metadata.name}: ${warning}`)
  })
}

async function pathOf(
  api: KubeCall,
  namespace: string,
  { apiVersion, kind }: Manifest,
): Promise<string> {
  const group = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}`
  const known = (await api('GET', group))?.resources ?? []
  const resource = known.find(({ name, kind: its }) => its === kind && !name.includes('/'))
  if (!resource) throw new Error(`the server knows no ${kind} of ${apiVersion}`)
  return `${group}/namespaces/${namespace}/${resource.name}`
}
