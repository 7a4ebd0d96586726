import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Writes the schemas against which tests check manifests, each file self-contained, so that no check needs a network.
 * Run it when the versions in `sources` change, and commit the output.
 */

const usage = `node deploy/schemas/make.mjs KUBERNETES KEDA GATEWAY_API PROMETHEUS

  KUBERNETES   folder of one strict version in the Python package kubernetes-validate 1.37.0:
               kubernetes_validate/kubernetes-json-schema/v1.36.0-local-strict
  KEDA         folder of the Go module github.com/kedacore/keda/v2 v2.21.0
  GATEWAY_API  folder of the Go module sigs.k8s.io/gateway-api v1.3.0
  PROMETHEUS   folder of the Go module github.com/prometheus-operator/prometheus-operator v0.85.0
`

/** Kinds of Kubernetes: the file that kubeconform looks for, which has the same name in the package. */
const kinds = [
  'configmap-v1',
  'deployment-apps-v1',
  'horizontalpodautoscaler-autoscaling-v2',
  'ingress-networking-v1',
  'job-batch-v1',
  'networkpolicy-networking-v1',
  'pod-v1',
  'poddisruptionbudget-policy-v1',
  'secret-v1',
  'service-v1',
  'serviceaccount-v1',
]

const examples = 'example/prometheus-operator-crd'

/** Kinds of operators: the argument with the folder, the file in it, and the version that the chart uses. */
const resources = [
  ['keda', 'config/crd/bases/keda.sh_scaledobjects.yaml', 'v1alpha1'],
  ['keda', 'config/crd/bases/keda.sh_triggerauthentications.yaml', 'v1alpha1'],
  ['gatewayApi', 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml', 'v1'],
  ['prometheus', `${examples}/monitoring.coreos.com_podmonitors.yaml`, 'v1'],
  ['prometheus', `${examples}/monitoring.coreos.com_prometheusrules.yaml`, 'v1'],
]

const here = fileURLToPath(new URL('.', import.meta.url))
const { parse } = createRequire(new URL('../../apps/gateway/package.json', import.meta.url))('yaml')

const [kubernetes, keda, gatewayApi, prometheus] = process.argv.slice(2)
if (!prometheus) {
  process.stderr.write(usage)
  process.exit(2)
}
writeKinds(kubernetes)
writeResources({ keda, gatewayApi, prometheus })

function writeKinds(folder) {
  const { $defs } = readJson(join(folder, '_definitions.json'))
  for (const kind of kinds) {
    const schema = bare(readJson(join(folder, `${kind}.json`)))
    write(`${kind}.json`, { ...schema, $defs: reachable(schema, $defs) })
  }
}

/** Returns the definitions that a schema refers to, directly or indirectly. */
function reachable(schema, definitions) {
  const found = {}
  const open = namesIn(schema)
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (Object.hasOwn(found, name)) continue
    found[name] = bare(definitions[name])
    open.push(...namesIn(found[name]))
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function namesIn(schema) {
  return [...JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)].map(([, name]) => name)
}

function writeResources(folders) {
  mkdirSync(join(here, 'crd'), { recursive: true })
  for (const [source, path, version] of resources) {
    const { spec } = parse(readFileSync(join(folders[source], path), 'utf8'))
    const { openAPIV3Schema } = spec.versions.find(({ name }) => name === version).schema
    const schema = closed(bare(openAPIV3Schema))
    schema.properties.metadata = { type: 'object' }
    write(join('crd', `${spec.names.singular}_${version}.json`), schema)
  }
}

/** Forbids other fields in the schema of an operator, so that a misspelt field is an error, as on the API server. */
function closed(schema) {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inside = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closed(value)]),
  )
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true
  if (isOpen || !isRecord(schema.properties) || schema.type !== 'object') return inside
  return { ...inside, additionalProperties: false }
}

/** Removes texts, and keeps references inside the file. A property may itself be called "description". */
function bare(schema) {
  if (Array.isArray(schema)) return schema.map(bare)
  if (!isRecord(schema)) return schema
  const kept = Object.entries(schema).filter(
    ([key, value]) => key !== 'description' || isRecord(value),
  )
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace('/api/_definitions.json#', '#')
        : bare(value),
    ]),
  )
}

function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function write(name, schema) {
  writeFileSync(join(here, name), `${JSON.stringify(schema)}\n`)
}
