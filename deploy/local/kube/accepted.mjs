import { createRequire } from 'node:module'

const fromTests = createRequire(new URL('../../../tests/package.json', import.meta.url))
const { parseAllDocuments } = fromTests('yaml')

/**
 * Sends every manifest of a rendered chart to the API server with strict validation and without storing it. `helm
 * --dry-run=server` reads lookups from the server but does not send it the manifests, so it would not detect a misspelt
 * field.
 *
 * @returns the number of manifests; @throws Error with the server's message about the first refusal or warning
 */
export async function expectAccepted({ api, namespace, text }) {
  const manifests = manifestsOf(text)
  const accounts = []
  try {
    for (const manifest of manifests) {
      const path = await pathOf({ api, namespace, manifest })
      const isAccount = manifest.kind === 'ServiceAccount' // a pod is refused if its service account does not exist
      if (isAccount) accounts.push(`${path}/${manifest.metadata.name}`)
      await offer({ api, path, manifest, isKept: isAccount })
    }
  } finally {
    for (const path of accounts) await api('DELETE', path)
  }
  return manifests.length
}

function manifestsOf(text) {
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((manifest) => manifest !== null)
}

/** The server only warns if the pods of a deployment or a job would be refused. */
async function offer({ api, path, manifest, isKept }) {
  const query = `fieldValidation=Strict${isKept ? '' : '&dryRun=All'}`
  await api('POST', `${path}?${query}`, manifest, (warning) => {
    throw new Error(`${manifest.kind} ${manifest.metadata.name}: ${warning}`)
  })
}

async function pathOf({ api, namespace, manifest: { apiVersion, kind } }) {
  const group = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}`
  const known = (await api('GET', group))?.resources ?? []
  const resource = known.find(({ name, kind: its }) => its === kind && !name.includes('/'))
  if (!resource) throw new Error(`the server knows no ${kind} of ${apiVersion}`)
  return `${group}/namespaces/${namespace}/${resource.name}`
}
