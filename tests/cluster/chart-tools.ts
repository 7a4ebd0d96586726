import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '@reticle/cluster/chart-programs'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { root } from '../support/reticle.ts'

/** Tools for the tests of the chart: rendering by helm, checks by kubeconform, parsing. */

const run = promisify(execFile)
const chart = join(root, 'deploy/helm/reticle')
const schemas = join(root, 'deploy/schemas')
const kubernetes = '1.36.0'

const texts = z.record(z.string(), z.string())
const variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.object({ secretKeyRef: z.object({ name: z.string(), key: z.string() }) }).optional(),
})
const probe = z.looseObject({
  grpc: z.object({ port: z.int() }).optional(),
  httpGet: z.object({ path: z.string(), port: z.string() }).optional(),
  periodSeconds: z.int(),
  failureThreshold: z.int(),
})
const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  securityContext: z.record(z.string(), z.unknown()),
  env: z.array(variable),
  resources: z.object({ requests: texts, limits: texts }),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
})
const pod = z.looseObject({
  automountServiceAccountToken: z.boolean(),
  securityContext: z.record(z.string(), z.unknown()),
  terminationGracePeriodSeconds: z.int().optional(),
  containers: z.array(container),
})
const manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    annotations: texts.optional(),
    labels: texts.optional(),
  }),
  spec: z.looseObject({}).optional(),
})
const template = z.looseObject({ template: z.looseObject({ spec: pod }) })
const makesPods = new Set(['Deployment', 'Job'])

export type ChartManifest = z.infer<typeof manifest>
export type ChartContainer = z.infer<typeof container>
export type Pod = z.infer<typeof pod>

/**
 * Renders the manifests of a release called "r".
 * @param args of `helm template`: `-f FILE`, `--set A=B`
 */
export async function renderManifests(...args: string[]): Promise<ChartManifest[]> {
  return read(await renderText(...args))
}

const rendered = new Map<string, Promise<string>>()

/**
 * Renders the same as YAML, once for the same arguments.
 * @throws Error with the message of helm
 */
export function renderText(...args: string[]): Promise<string> {
  const key = args.join(' ')
  const known = rendered.get(key) ?? renderWith(args)
  rendered.set(key, known)
  return known
}

/** Renders what `helm install` would create with these words, run in the root of the repository. */
export async function renderWords(words: string[]): Promise<ChartManifest[]> {
  return read(await helmTemplate(words))
}

const renderWith = (args: string[]) => helmTemplate(['r', chart, '--namespace', 'n', ...args])

async function helmTemplate(given: string[]): Promise<string> {
  const words = ['template', ...given, '--kube-version', kubernetes]
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
  return (await run(await findProgram('helm'), words, options)).stdout
}

function read(text: string): ChartManifest[] {
  const documents = parseAllDocuments(text, { merge: true })
  return documents.flatMap((document) => {
    const data: unknown = document.toJS()
    return data === null ? [] : [manifest.parse(data)]
  })
}

export async function lintChart(...args: string[]): Promise<void> {
  await run(await findProgram('helm'), [
    'lint',
    '--strict',
    chart,
    '--kube-version',
    kubernetes,
    ...args,
  ])
}

/**
 * Validates manifests against the schemas of Kubernetes.
 * @throws Error with the fields that do not exist or have the wrong type
 */
export async function validateManifests(yaml: string): Promise<void> {
  const known = [
    `${schemas}/{{.ResourceKind}}{{.KindSuffix}}.json`,
    `${schemas}/crd/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json`,
  ]
  const words = ['-strict', '-kubernetes-version', kubernetes]
  for (const location of known) words.push('-schema-location', location)
  const running = run(await findProgram('kubeconform'), words)
  running.child.stdin?.end(yaml)
  await running.catch(({ stdout }) => {
    throw new Error(String(stdout))
  })
}

/** Returns deployments, jobs and single pods, with their pod specs. */
export function listWorkloads(manifests: readonly ChartManifest[]) {
  return manifests
    .filter(({ kind }) => kind === 'Pod' || makesPods.has(kind))
    .map((one) => ({
      ...one,
      pod: one.kind === 'Pod' ? pod.parse(one.spec) : template.parse(one.spec).template.spec,
    }))
}

/** Returns the environment of a container; values of secrets come from `secretOf(name, key)`. */
export function environmentOf(
  { env }: ChartContainer,
  secretOf: (name: string, key: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => {
      const secret = valueFrom?.secretKeyRef
      return [name, secret ? secretOf(secret.name, secret.key) : (value ?? '')]
    }),
  )
}

/** Reads a file of the chart as text. */
export const chartFile = (path: string) => readFileSync(join(chart, path), 'utf8')
