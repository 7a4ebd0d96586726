import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findProgram } from './chart-programs.ts'
import { expectAccepted } from './kube/accepted.ts'
import {
  type ControlPlane,
  type KubeCall,
  type KubeItem,
  startControlPlane,
} from './kube/control-plane.ts'
import { exitCodeOf, runTool } from './tools.mjs'

/**
 * Tests the chart against a real control plane, manually or at night: `npx tsx tools/cluster/src/kube.ts`
 *
 * The server must accept every manifest of every set of values; then a release is installed, upgraded, rolled back,
 * tested and removed in a namespace that enforces the restricted pod security standard. The first run builds the
 * control plane.
 */

const chart = fileURLToPath(new URL('../../../deploy/helm/reticle', import.meta.url))
const values = fileURLToPath(new URL('../../../deploy/helm/values', import.meta.url))
const namespace = 'reticle'

const folder = await mkdtemp(join(tmpdir(), 'reticle-kube-'))
const began = Date.now()
let plane: ControlPlane | undefined
try {
  plane = await startControlPlane(folder)
  printStep('control plane', began)
  await scenario(plane)
} catch (error) {
  process.exitCode = exitCodeOf(error)
  process.stderr.write(
    `${error instanceof Error ? error.message : error}\nThe logs are in ${folder}/logs\n`,
  )
} finally {
  await plane?.stop()
}
if (!process.exitCode) await rm(folder, { recursive: true, force: true })

async function scenario({ api, kubeconfig, programs }: ControlPlane): Promise<void> {
  const helm = await helmOf(kubeconfig)
  await timed('a node, a namespace, kinds of operators', () => furnish(api, programs))
  await timed('a pod that the standard forbids is refused', () => expectRefusal(api))
  await timed('accepted: the defaults', () => accepted(api, helm))
  for (const name of await readdir(values)) {
    await timed(`accepted: ${name}`, () => accepted(api, helm, '-f', join(values, name)))
  }
  const wait = ['--wait', '--wait-for-jobs', '--timeout', '3m']
  await timed('install', () => helm('install', 'r', chart, ...wait))
  const keys = await keysOf(api)
  await expectPods(api, 12)
  const pods = await podsOf(api)
  await timed('upgrade to the same', () => helm('upgrade', 'r', chart, ...wait))
  expectSame(pods, await podsOf(api), 'it replaces no pod')

  // No autoscaler runs here, so only one of two workers remains.
  const scaled = ['-f', join(values, 'keda.yaml'), '--set', 'webhooks.replicas=4']
  await timed('upgrade', () => helm('upgrade', 'r', chart, ...scaled, ...wait))
  expectSame(keys, await keysOf(api), 'the keys are those of the installation')
  await expectPods(api, 13)
  await timed('rollback', () => helm('rollback', 'r', '1', ...wait))
  await expectPods(api, 12)

  await timed('helm test', () => Promise.all([helm('test', 'r', '--timeout', '2m'), endTest(api)]))
  await timed('uninstall', () => helm('uninstall', 'r', '--wait'))
  expectSame(keys, await keysOf(api), 'the keys outlive the release')
  await expectNoViolation(api)
}

type Helm = (...words: string[]) => ReturnType<typeof runTool>

async function helmOf(kubeconfig: string): Promise<Helm> {
  const path = await findProgram('helm')
  const always = ['--kubeconfig', kubeconfig, '--namespace', namespace]
  const env = { ...process.env, KUBECACHEDIR: join(folder, 'discovery') } // the next server is a different one
  return (...words) => runTool(path, [...words, ...always], { env })
}

async function accepted(api: KubeCall, helm: Helm, ...given: string[]): Promise<string> {
  const dryRunArgs = ['--validate', '--dry-run=server'] // uses the server's version, kinds and secrets
  const { stdout: text } = await helm('template', 'dry', chart, ...given, ...dryRunArgs)
  return `${await expectAccepted({ api, namespace, text })} manifests`
}

async function furnish(api: KubeCall, programs: string): Promise<void> {
  const capacity = { cpu: '64', memory: '256Gi', pods: '200', 'ephemeral-storage': '1Ti' }
  const status = { allocatable: capacity, capacity }
  await api('POST', '/api/v1/nodes', { metadata: { name: 'played' }, status })
  const labels = {
    'pod-security.kubernetes.io/enforce': 'restricted',
    'pod-security.kubernetes.io/warn': 'restricted',
  }
  await api('POST', '/api/v1/namespaces', { metadata: { name: namespace, labels } })
  const definitions = JSON.parse(await readFile(join(programs, 'crds.json'), 'utf8'))
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  for (const definition of definitions) await api('POST', path, definition)
  await until('a node that is ready', async () => {
    const node = await api('GET', '/api/v1/nodes/played')
    return node !== undefined && isReady(node)
  })
  await until('the account of the namespace', () => api('GET', at('serviceaccounts/default')))
}

/** A node or a pod that reports that it is ready. */
const isReady = ({ status }: KubeItem): boolean =>
  typeof status === 'object' &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
const phaseOf = (item: KubeItem | undefined): string | undefined =>
  typeof item?.status === 'object' ? item.status.phase : undefined

function at(path: string): string {
  return `/api/v1/namespaces/${namespace}/${path}`
}

async function expectRefusal(api: KubeCall): Promise<void> {
  const pod = {
    metadata: { name: 'forbidden' },
    spec: { containers: [{ name: 'x', image: 'x' }] },
  }
  const message = await api('POST', at('pods'), pod).then(
    () => 'it was accepted',
    ({ message }: Error) => message,
  )
  if (!/violates PodSecurity "restricted/.test(message))
    throw new Error(`it was not refused: ${message}`)
}

async function expectPods(api: KubeCall, count: number): Promise<void> {
  await until(`${count} pods that are ready, and no other`, async () => {
    const items = await itemsOf(api, 'pods')
    const serving = items.filter((pod) => phaseOf(pod) !== 'Succeeded')
    return serving.length === count && serving.every(isReady)
  })
}

/** The script does not run here; its pod is made to succeed. */
async function endTest(api: KubeCall): Promise<void> {
  const path = at('pods/r-reticle-test')
  await until('the pod of the test', async () => {
    return phaseOf(await api('GET', path)) === 'Running'
  })
  await api('PATCH', `${path}/status`, { status: { phase: 'Succeeded' } })
}

async function itemsOf(api: KubeCall, kind: string): Promise<KubeItem[]> {
  return (await api('GET', at(kind)))?.items ?? []
}

async function podsOf(api: KubeCall): Promise<string> {
  const items = await itemsOf(api, 'pods')
  return items.map(({ metadata }) => metadata?.name).join('\n')
}

async function keysOf(api: KubeCall): Promise<string> {
  const secret = await api('GET', at('secrets/r-reticle-keys'))
  return JSON.stringify(secret?.data)
}

function expectSame(before: string, after: string, sentence: string): void {
  if (before !== after) throw new Error(`${sentence}: no, they differ`)
  process.stdout.write(`  ${sentence}\n`)
}

async function expectNoViolation(api: KubeCall): Promise<void> {
  const items = await itemsOf(api, 'events')
  const found = items.map(({ message = '' }) => message).filter((text) => /PodSecurity/.test(text))
  if (found.length > 0) throw new Error(found.join('\n'))
  process.stdout.write('  no pod of the chart was refused\n')
}

async function until(what: string, look: () => Promise<unknown>): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(200)) {
    if (await look()) return
  }
  throw new Error(`waited a minute for ${what}`)
}

async function timed(name: string, work: () => Promise<unknown>): Promise<void> {
  const start = Date.now()
  const found = await work().catch((error: Error) => {
    error.message = `${name}: ${error.message}`
    throw error
  })
  printStep(typeof found === 'string' ? `${name}, ${found}` : name, start)
}

function printStep(name: string, start: number): void {
  process.stdout.write(`${name}: ${((Date.now() - start) / 1000).toFixed(1)} s\n`)
}
