import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { z } from 'zod'
import { makePart, type ServerPart } from '../part.ts'
import { freePorts } from '../ports.ts'
import { kubePrograms } from './programs.mjs'

const condition = z.looseObject({ type: z.string(), status: z.string() })
const status = z.looseObject({ phase: z.string(), conditions: z.array(condition) }).partial()
const kubeItem = z
  .looseObject({
    metadata: z.looseObject({ name: z.string() }).partial(),
    status: z.union([status, z.string()]),
    message: z.string(),
  })
  .partial()

/** The fields that tests read of an object, a list, a list of kinds, or a failure. */
const kubeAnswer = kubeItem.extend({
  items: z.array(kubeItem).optional(),
  resources: z.array(z.looseObject({ name: z.string(), kind: z.string() })).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
})
export type KubeItem = z.infer<typeof kubeItem>
export type KubeAnswer = z.infer<typeof kubeAnswer>

/**
 * Calls the API server.
 * @param body An object, or YAML as text
 * @param onWarning Receives the warnings of the server
 * @returns the object, or undefined if it does not exist
 * @throws Error with the server's message
 */
export type KubeCall = (
  method: string,
  path: string,
  body?: unknown,
  onWarning?: (warning: string) => void,
) => Promise<KubeAnswer | undefined>

export interface ControlPlane {
  /** Path of the settings of clients. */
  kubeconfig: string
  /** Folder of the programs. */
  programs: string
  api: KubeCall
  stop: () => Promise<void>
}

type PlanePorts = Record<'etcd' | 'peers' | 'api' | 'controllers' | 'scheduler' | 'kwok', number>

interface PlaneSetup {
  at: (name: string) => string
  programs: string
  ports: PlanePorts
  token: string
  kubeconfig: string
}

/**
 * Starts a real control plane on loopback: etcd, API server, controllers, scheduler. Kwok simulates kubelets: pods
 * become ready and jobs end without running anything. Not tested: images, real probes, traffic through network
 * policies.
 */
export async function startControlPlane(folder: string): Promise<ControlPlane> {
  const programs = await kubePrograms()
  const setup = await prepare(folder, programs)
  const made = partsOf(setup)
  const stop = async () => {
    for (const part of [...made].reverse()) await part.stop()
  }
  try {
    for (const part of made) await part.start()
    return { kubeconfig: setup.kubeconfig, programs, api: apiOf(setup), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function prepare(folder: string, programs: string): Promise<PlaneSetup> {
  const [etcd = 0, peers = 0, api = 0, controllers = 0, scheduler = 0, kwok = 0] =
    await freePorts(6)
  const ports = { etcd, peers, api, controllers, scheduler, kwok }
  const token = randomBytes(16).toString('hex')
  const at = (name: string) => join(folder, name)
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  await mkdir(at('logs'), { recursive: true })
  await writeFile(at('accounts.key'), privateKey, { mode: 0o600 })
  await writeFile(at('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 })
  await writeFile(at('kubeconfig'), JSON.stringify(kubeconfig(api, token)), { mode: 0o600 })
  return { at, programs, ports, token, kubeconfig: at('kubeconfig') }
}

/** JSON is valid YAML. */
function kubeconfig(port: number, token: string) {
  const cluster = { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true }
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'admin' } }],
    'current-context': 'local',
  }
}

/** In the order of their dependencies. */
function partsOf(setup: PlaneSetup): ServerPart[] {
  const { at, programs, ports } = setup
  const part = (name: string, args: string[], isReady: () => Promise<boolean>) =>
    makePart({
      name,
      logs: at('logs'),
      command: () => ({ command: join(programs, name), args }),
      isReady,
    })
  const isOk = (path: string) => async () => (await apiOf(setup)('GET', path)) !== undefined
  const local = (port: number) => ['--bind-address=127.0.0.1', `--secure-port=${port}`]
  const asClient = [`--kubeconfig=${setup.kubeconfig}`, '--leader-elect=false']
  const certificates = `--cert-dir=${at('certificates')}`
  return [
    part('etcd', etcdFlags(setup), () => isHealthy(`http://127.0.0.1:${ports.etcd}/health`)),
    part(
      'kube-apiserver',
      [...apiFlags(setup), ...local(ports.api), certificates],
      isOk('/readyz'),
    ),
    part(
      'kube-controller-manager',
      [
        ...asClient,
        ...local(ports.controllers),
        certificates,
        `--service-account-private-key-file=${at('accounts.key')}`,
      ],
      isOk('/api/v1/namespaces/default/serviceaccounts/default'),
    ),
    part('kube-scheduler', [...asClient, ...local(ports.scheduler), certificates], async () => {
      const { status } = await call('GET', ports.scheduler, '/healthz', setup)
      return status === 200
    }),
    part('kwok', kwokFlags(setup), () => isHealthy(`http://127.0.0.1:${ports.kwok}/healthz`)),
  ]
}

function etcdFlags({ at, ports }: PlaneSetup): string[] {
  const [client, peer] = [`http://127.0.0.1:${ports.etcd}`, `http://127.0.0.1:${ports.peers}`]
  return [
    `--data-dir=${at('etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ]
}

function apiFlags({ at, ports }: PlaneSetup): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--advertise-address=127.0.0.1',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${at('accounts.key')}`,
    `--service-account-key-file=${at('accounts.key')}`,
    `--token-auth-file=${at('tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.96.0.0/24',
    '--endpoint-reconciler-type=none',
  ]
}

function kwokFlags({ programs, kubeconfig: config, ports }: PlaneSetup): string[] {
  return [
    `--kubeconfig=${config}`,
    `--config=${join(programs, 'stages.yaml')}`,
    '--manage-all-nodes=true',
    `--server-address=127.0.0.1:${ports.kwok}`,
  ]
}

async function isHealthy(url: string): Promise<boolean> {
  return (await fetch(url)).ok
}

function apiOf({ ports, token }: PlaneSetup): KubeCall {
  return async (method, path, body, onWarning) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const { status, answer, warning } = await call(method, ports.api, path, {
      token,
      type: typeOf(method, body),
      text,
    })
    if (status === 404 && method === 'GET') return undefined
    const parsed = typeof answer === 'string' ? { message: answer } : kubeAnswer.parse(answer)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${parsed.message ?? ''}`)
    if (warning) onWarning?.(warning)
    return parsed
  }
}

function typeOf(method: string, body: unknown): string {
  if (typeof body === 'string') return 'application/yaml'
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
}

interface CallOptions {
  token: string
  type?: string
  text?: string
}

interface HttpAnswer {
  status: number
  /** Parsed if it is JSON, else a text. */
  answer: unknown
  warning?: string
}

/** The API server creates its certificate at its start, and the connection does not leave this machine. */
function call(
  method: string,
  port: number,
  path: string,
  { token, type: sent = 'application/json', text }: CallOptions,
): Promise<HttpAnswer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': sent }
  const setup = { method, host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }
  return new Promise((resolve, reject) => {
    const outgoing = request(setup, async (response) => {
      const pieces: Buffer[] = await response.toArray()
      const whole = Buffer.concat(pieces).toString()
      const { 'content-type': type = '', warning } = response.headers
      const answer: unknown = /json/.test(type) ? JSON.parse(whole) : whole
      resolve({ status: response.statusCode ?? 0, answer, warning: warning?.toString() })
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
