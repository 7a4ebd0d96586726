import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { metricNames, watchProcess } from '@reticle/kit/observe/metrics'
import '@reticle/standalone/start' // gateway and services register their instruments on import
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { root } from '../support/root.ts'

/** Alerts and dashboards fit the metrics that the processes export. See docs/spec/reliability.md#observability. */

const read = (path: string) => readFileSync(join(root, path), 'utf8')
watchProcess()

const rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          annotations: z.object({
            summary: z.string(),
            description: z.string(),
            runbook: z.string(),
          }),
        }),
      ),
    }),
  ),
})
const alerts = rules
  .parse(parse(read('deploy/observability/alerts.yaml')))
  .groups.flatMap((group) => group.rules)

/** Names of metrics in an expression; a histogram has three series. */
const namedIn = (text: string) =>
  [...new Set(text.match(/\breticle_\w+/g))].map((name) => name.replace(/_(bucket|sum|count)$/, ''))
const known = new Set(metricNames())

test('every documented metric exists', () => {
  const promised = [
    'reticle_http_request_duration_seconds',
    'reticle_rpc_duration_seconds',
    'reticle_outbox_rows',
    'reticle_outbox_oldest_seconds',
    'reticle_bus_lag',
    'reticle_dead_events',
    'reticle_requests',
    'reticle_request_wait_seconds',
    'reticle_request_run_seconds',
    'reticle_lease_lost_total',
    'reticle_webhook_attempts_total',
    'reticle_webhook_first_attempt_seconds',
    'reticle_webhook_pending',
    'reticle_pool_waiting',
    'reticle_blob_bytes',
  ]
  expect(promised.filter((name) => !known.has(name))).toEqual([])
})

test.each([
  'deploy/observability/alerts.yaml',
  'deploy/observability/dashboard.json',
  'docs/operations.md',
])('%s names only metrics that exist', (path) => {
  const named = namedIn(read(path))
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test('every documented alert exists, with instructions', () => {
  expect(alerts.map(({ alert }) => alert)).toEqual([
    'ReticleOutboxStuck',
    'ReticleDeadEvents',
    'ReticleRequestsWait',
    'ReticleLeasesLost',
    'ReticleWebhooksPending',
    'ReticleServiceGone', // not among the documented alerts
    'ReticleServerErrors',
    'ReticlePoolWaiting',
    'ReticleBlobsPending',
  ])
  const anchors = read('docs/operations.md')
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .map((line) => line.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'))
  const lost = alerts.filter(({ annotations }) => {
    const [path, anchor = ''] = annotations.runbook.split('#')
    return path !== 'docs/operations.md' || !anchors.includes(anchor)
  })
  expect(lost.map(({ alert }) => alert)).toEqual([])
})

test('the chart has the same alerts', () => {
  expect(read('deploy/helm/reticle/files/alerts.yaml')).toBe(
    read('deploy/observability/alerts.yaml'),
  )
})

test('labels of metrics never contain ids', () => {
  const sources = [
    'packages/kit/src/observe/metrics.ts',
    'apps/gateway/src/plugins/connections/watch.ts',
  ]
  const services = [
    'apps/jobs-svc/src/requests/metrics.ts',
    'apps/webhooks-svc/src/deliveries/metrics.ts',
  ]
  const labels = [...sources, ...services].flatMap((path) =>
    [...read(path).matchAll(/labelNames: \[([^\]]*)\]/g)].flatMap(
      ([, names = '']) => names.match(/\w+/g) ?? [],
    ),
  )
  expect([...new Set(labels)].sort()).toEqual(
    ['action', 'cause', 'format', 'group', 'method', 'operation', 'pool', 'result', 'route']
      .concat(['schema', 'service', 'state', 'status'])
      .sort(),
  )
})
