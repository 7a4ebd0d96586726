import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { readConfig as readGatewayConfig, startGateway } from '@reticle/gateway'
import { type RequestsDb, readConfig as readJobsConfig, startWorker } from '@reticle/jobs-svc'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { createLog } from '@reticle/kit/log'
import { metricsText } from '@reticle/kit/observe/metrics'
import { rememberTraces } from '@reticle/kit/observe/trace-sdk'
import { openPool } from '@reticle/kit/process/pools'
import { testDatabase } from '@reticle/kit/testing/db'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { createUser } from '@reticle/projects-svc'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { allSchemas } from './databases.ts'
import { overGrpc } from './grpc.ts'
import { openBus, startServices } from './services.ts'

/** Tracing through all services over gRPC, with a worker; only the processes are merged into one. */

const stops: (() => Promise<void> | void)[] = []
const onStop = (_name: string, stop: () => Promise<void> | void) => stops.push(stop)
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

const lines: Record<string, unknown>[] = []
const log = createLog(
  null,
  { level: 'info', format: 'json' },
  new Writable({
    write: (text, _encoding, done) => {
      lines.push(JSON.parse(String(text)))
      done()
    },
  }),
)
const tracing = rememberTraces('reticle')
onStop('traces', tracing.stop)

const record = z.looseObject({ id: z.unknown().optional(), rq_id: z.string().optional() })

const receiver = await startReceiver()
onStop('receiver', receiver.close)
receiver.answer({ status: 400 }) // final at once, and a line in the log
const api = await startSystem()
const admin = await signIn()

/** Smallest PNG: one grey pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg=='

async function startSystem(): Promise<string> {
  const { url } = await testDatabase<unknown>(allSchemas)
  const at = (schema: string) => {
    const own = new URL(url)
    own.searchParams.set('options', `-c search_path=${schema},bus`)
    return own.href
  }
  const urls = {
    projects: at('projects'),
    annotations: at('annotations'),
    requests: at('requests'),
    webhooks: at('webhooks'),
    bus: at('bus'),
  }
  const folder = await mkdtemp(join(tmpdir(), 'reticle-traces-'))
  onStop('folder', () => rm(folder, { recursive: true, force: true }))
  const env = {
    RETICLE_PORT: '0',
    RETICLE_TMP_DIR: folder,
    RETICLE_JOBS_SLOTS: '1',
    RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
    RETICLE_WEBHOOKS_ALLOWED_NETS: '127.0.0.0/8',
    RETICLE_SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  }
  const blobs = await diskBlobs(join(folder, 'objects'))
  const mailFolder = join(folder, 'mail')
  const around = { urls, blobs, kafka: undefined, log, env, mailFolder, onStop }
  const { services, identity } = await startServices(around)
  await createUser(identity, {
    username: 'admin',
    password: 'a long password',
    email: 'admin@localhost',
    role: 'admin',
  })
  const worker = await startWorker({
    db: openPool<RequestsDb>(around, 'worker', urls.requests).db,
    bus: await openBus(around),
    blobs,
    log: log.child({ service: 'worker' }),
    settings: readJobsConfig(env),
    wiring: {
      module: new URL('./convert-wiring.ts', import.meta.url).href,
      options: {
        urls,
        objects: { folder: join(folder, 'objects') },
        env,
        log: { level: 'info', format: 'json' },
      },
    },
  })
  onStop('worker', worker.stop)
  const gateway = await startGateway({
    services: await overGrpc(services, 'k'.repeat(32), onStop),
    blobs,
    log: log.child({ service: 'gateway' }),
    settings: { ...readGatewayConfig(env), loopDelayMs: 0 }, // a busy machine is none of this test's business
    checks: {},
  })
  onStop('gateway', gateway.stop)
  return `${gateway.url}/api`
}

async function send(method: string, path: string, body?: unknown, headers = {}) {
  const isJson = body !== undefined && !(body instanceof FormData)
  const answer = await fetch(api + path, {
    method,
    headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }) },
    body: body instanceof FormData ? body : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return record.parse(text === '' ? {} : JSON.parse(text))
}

async function signIn() {
  const { key } = await send('POST', '/auth/login', {
    username: 'admin',
    password: 'a long password',
  })
  const authorization = { authorization: `Token ${key}` }
  return (method: string, path: string, body?: unknown, headers = {}) =>
    send(method, path, body, { ...authorization, ...headers })
}

async function finished({ rq_id = '' }: { rq_id?: string }): Promise<void> {
  const path = `/requests/${encodeURIComponent(rq_id)}?wait=10`
  let record = await admin('GET', path)
  while (record.status === 'queued' || record.status === 'started')
    record = await admin('GET', path)
  expect(record).toMatchObject({ status: 'finished' })
}

const traceOf = (digit: string) => digit.repeat(32)
const under = (digit: string) => ({ traceparent: `00-${traceOf(digit)}-${'b'.repeat(16)}-01` })
const servicesOf = (digit: string) => [
  ...new Set(
    tracing
      .getFinishedSpans()
      .filter((span) => span.spanContext().traceId === traceOf(digit))
      .map((span) => span.instrumentationScope.name),
  ),
]
const linesAbout = (text: string) => lines.filter((line) => JSON.stringify(line).includes(text))

test('one export and one webhook yield one trace each through all services and on every log line', async () => {
  const { id: project_id } = await admin('POST', '/projects', {
    name: 'p',
    labels: [{ name: 'a' }],
  })
  const webhook = {
    type: 'project',
    project_id,
    target_url: receiver.url,
    events: 'update:project',
  }
  await admin('POST', '/webhooks', webhook)
  const { id: task_id } = await admin('POST', '/tasks', { name: 't', project_id })
  const form = new FormData()
  form.append('client_files[0]', new Blob([Buffer.from(png, 'base64')]), 'point.png')
  await finished(await admin('POST', `/tasks/${task_id}/data`, form))

  const path = `/tasks/${task_id}/dataset/export?format=${encodeURIComponent('COCO 1.0')}`
  const headers = { ...under('c'), 'x-request-id': 'the-export' }
  await finished(await admin('POST', path, undefined, headers))
  const change = { ...under('d'), 'x-request-id': 'the-change' }
  await admin('PATCH', `/projects/${project_id}`, { name: 'other' }, change)

  await expect
    .poll(() => servicesOf('c'), { timeout: 60_000 })
    .toEqual(
      expect.arrayContaining([
        'gateway',
        'grpc',
        'projects-svc',
        'annotations-svc',
        'jobs-svc',
        'jobs-svc worker',
      ]),
    )
  await expect
    .poll(() => servicesOf('d'), { timeout: 60_000 })
    .toEqual(
      expect.arrayContaining(['gateway', 'projects-svc', 'reticle.webhooks', 'webhooks-svc']),
    )

  const runs = () =>
    lines.filter(({ msg, action }) => msg === 'request attempt ended' && action === 'export')
  const failures = () => linesAbout('webhook message failed')
  await expect.poll(() => [runs().length, failures().length]).toEqual([1, 1])
  const [ofExport, ofChange] = [linesAbout('the-export'), linesAbout('the-change')]
  expect([...ofExport, ...runs()]).toMatchObject([
    { service: 'gateway', trace_id: traceOf('c') },
    { service: 'worker', trace_id: traceOf('c'), rq_id: expect.any(String), ended: 'done' },
  ])
  expect([...ofChange, ...failures()]).toMatchObject([
    { service: 'gateway', trace_id: traceOf('d') },
    { service: 'webhooks-svc', trace_id: traceOf('d'), event_id: expect.any(String) },
  ])
  expect(JSON.stringify(receiver.received.map((one) => one.headers))).not.toContain('traceparent')
}, 60_000)

test('the metrics page has fewer than 2,000 series', async () => {
  const series = (await metricsText()).split('\n').filter((line) => /^\w/.test(line))
  expect(series.length).toBeGreaterThan(50)
  expect(series.length).toBeLessThan(2000)
})
