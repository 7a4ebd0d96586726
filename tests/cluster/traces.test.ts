import { readFileSync } from 'node:fs'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, expect, test } from 'vitest'
import { taskWithMedia } from '../support/factories.ts'
import { startSplit } from '../support/split.ts'

/** Traces, logs and metrics of the split system, with a collector. See docs/spec/reliability.md#observability. */

const collector = await startReceiver()
const receiver = await startReceiver()
receiver.answer({ status: 400 }) // a final refusal, which writes a log line
const split = await startSplit('traces', {
  gateways: 1,
  workers: 1,
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, RETICLE_LOG_LEVEL: 'info' },
})
afterAll(async () => {
  await split.stop()
  await collector.close()
  await receiver.close()
})

const traceOf = (digit: string) => digit.repeat(32)
const under = (digit: string) => ({ traceparent: `00-${traceOf(digit)}-${'b'.repeat(16)}-01` })

/**
 * Returns the names of processes that sent spans of a trace. Protobuf contains its id as 16 bytes, next to the sender.
 */
function sendersOf(trace: string): string[] {
  const id = Buffer.from(trace, 'hex')
  const names = collector.received
    .filter(({ body }) => body.includes(id))
    .map(({ body }) => /service\.name[^a-z]+([a-z-]+)/.exec(body.toString('latin1'))?.[1] ?? '?')
  return [...new Set(names)].sort()
}

/** All log lines of the processes. */
const lines = (): Record<string, unknown>[] =>
  Object.values(split.processes).flatMap(({ log }) =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line)),
  )
const linesAbout = (text: string) => lines().filter((line) => JSON.stringify(line).includes(text))

test('an export and a webhook each have one trace through every process and on every log line', async () => {
  const { admin } = split
  const project = await admin.done('POST', '/projects', {
    json: { name: 'p', labels: [{ name: 'car' }] },
  })
  const target = { type: 'project', project_id: project.id, target_url: receiver.url }
  await admin.done('POST', '/webhooks', { json: { ...target, events: 'update:project' } })
  const task = await taskWithMedia(admin, { project_id: project.id })

  const path = `/tasks/${task.id}/dataset/export?format=${encodeURIComponent('COCO 1.0')}`
  const headers = { ...under('c'), 'x-request-id': 'the-export' }
  await admin.finished(await admin.done('POST', path, { headers }))
  await admin.done('PATCH', `/projects/${project.id}`, {
    json: { name: 'other' },
    headers: { ...under('d'), 'x-request-id': 'the-change' },
  })

  const flushed = { timeout: 60_000, interval: 250 }
  await expect
    .poll(() => sendersOf(traceOf('c')), flushed)
    .toEqual(
      expect.arrayContaining([
        ...['annotations-svc', 'gateway', 'jobs-svc', 'jobs-worker', 'projects-svc'],
      ]),
    )
  await expect
    .poll(() => sendersOf(traceOf('d')), flushed)
    .toEqual(expect.arrayContaining(['gateway', 'projects-svc', 'webhooks-svc']))

  const runs = lines().filter(
    ({ msg, action }) => msg === 'request attempt ended' && action === 'export',
  )
  const ofExport = [...linesAbout('the-export'), ...runs]
  const ofChange = [...linesAbout('the-change'), ...linesAbout('webhook message failed')]
  expect([ofExport.length, ofChange.length]).toEqual([2, 2])
  expect(new Set(ofExport.map(({ trace_id }) => trace_id))).toEqual(new Set([traceOf('c')]))
  expect(new Set(ofChange.map(({ trace_id }) => trace_id))).toEqual(new Set([traceOf('d')]))
}, 120_000)

test('every process serves its metrics, in fewer than 2,000 series', async () => {
  for (const [name, { metrics }] of Object.entries(split.ports)) {
    const answer = await fetch(`http://127.0.0.1:${metrics}/metrics`)
    const series = (await answer.text()).split('\n').filter((line) => /^reticle_/.test(line))
    expect(series.length, name).toBeGreaterThan(30)
    expect(series.length, name).toBeLessThan(2000)
  }
})
