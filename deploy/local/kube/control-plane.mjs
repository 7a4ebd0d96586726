import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { makePart } from '../part.mjs'
import { freePorts } from '../ports.mjs'
import { kubePrograms } from './programs.mjs'

/**
 * Starts a real control plane on loopback: etcd, API server, controllers, scheduler. Kwok simulates kubelets: pods
 * become ready and jobs end without running anything. Not tested: images, real probes, traffic through network
 * policies.
 *
 * @returns `{kubeconfig, programs, api(method, path, body, onWarning), stop}`; `body` is an object, or YAML as text
 */
export async function startControlPlane(folder) {
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

async function prepare(folder, programs) {
  const [etcd, peers, api, controllers, scheduler, kwok] = await freePorts(6)
  const ports = { etcd, peers, api, controllers, scheduler, kwok }
  const token = randomBytes(16).toString('hex')
  const at = (name) => join(folder, name)
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
function kubeconfig(port, token) {
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
function partsOf(setup) {
  const { at, programs, ports } = setup
  const part = (name, args, isReady) =>
    makePart({
      name,
      logs: at('logs'),
      choosePorts: async () => {},
      command: () => ({ command: join(programs, name), args }),
      isReady,
      env: () => ({}),
    })
  const isOk = (path) => async () => (await apiOf(setup)('GET', path)) !== undefined
  const local = (port) => ['--bind-address=127.0.0.1', `--secure-port=${port}`]
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

function etcdFlags({ at, ports }) {
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

function apiFlags({ at, ports }) {
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

function kwokFlags({ programs, kubeconfig: config, ports }) {
  return [
    `--kubeconfig=${config}`,
    `--config=${join(programs, 'stages.yaml')}`,
    '--manage-all-nodes=true',
    `--server-address=127.0.0.1:${ports.kwok}`,
  ]
}

async function isHealthy(url) {
  return (await fetch(url)).ok
}

/**
 * Calls the API server; `onWarning(text)` receives its warnings.
 *
 * @returns the object, or undefined if it does not exist; @throws Error with the server's message
 */
function apiOf({ ports, token }) {
  return async (method, path, body, onWarning) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const { status, answer, warning } = await call(method, ports.api, path, {
      token,
      type: typeOf(method, body),
      text,
    })
    if (status === 404 && method === 'GET') return undefined
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${answer.message ?? answer}`)
    if (warning) onWarning?.(warning)
    return answer
  }
}

function typeOf(method, body) {
  if (typeof body === 'string') return 'application/yaml'
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
}

/** The API server creates its certificate at its start, and the connection does not leave this machine. */
function call(method, port, path, { token, type: sent = 'application/json', text }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': sent }
  const setup = { method, host: '127.0.0.1', port, path, headers, rejectUnauthorized: false }
  return new Promise((resolve, reject) => {
    const outgoing = request(setup, async (response) => {
      const pieces = await response.toArray()
      const whole = Buffer.concat(pieces).toString()
      const { 'content-type': type = '', warning } = response.headers
      const answer = /json/.test(type) ? JSON.parse(whole) : whole
      resolve({ status: response.statusCode, answer, warning })
    })
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
