import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { root } from '../support/root.ts'
import {
  type ChartManifest,
  chartFile,
  lintChart,
  listWorkloads,
  renderManifests,
  renderText,
  validateManifests,
} from './chart-tools.ts'

/**
 * The Helm chart, rendered for every example of values. Tests against real API servers: `tools/cluster/src/kube.ts`. See
 * docs/spec/reliability.md#kubernetes.
 */

const folder = join(root, 'deploy/helm/values')
const sets = readdirSync(folder).map((name): [string, string | undefined] => [
  name.replace('.yaml', ''),
  join(folder, name),
])

test('examples of values exist for the documented ways to install', () => {
  expect(sets.length).toBeGreaterThanOrEqual(6)
})

const all: typeof sets = [['default', undefined], ...sets]

describe.each(all)('the chart with %s values', (_, file) => {
  const given = file === undefined ? [] : ['-f', file]
  let manifests: ChartManifest[]

  beforeAll(async () => {
    manifests = await renderManifests(...given)
  })

  test('helm lint reports no problem', () => lintChart(...given))

  test('every field exists in the schemas of Kubernetes', async () => {
    await validateManifests(await renderText(...given))
  })

  test('names of objects are unique', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(names).toEqual([...new Set(names)])
  })

  test('every pod meets the restricted pod security standard', () => {
    for (const { metadata, pod } of listWorkloads(manifests)) {
      expect(pod, metadata.name).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 10001,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      })
      for (const container of pod.containers) {
        expect(container.securityContext, metadata.name).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
      }
    }
  })

  test('memory requests equal their limits, and the processor has no limit', () => {
    for (const { pod } of listWorkloads(manifests)) {
      for (const { resources } of pod.containers) {
        expect(resources.requests.cpu).toBeDefined()
        expect(resources.limits).toEqual({ memory: resources.requests.memory })
      }
    }
  })

  test('no secret value appears in the environment', () => {
    for (const { pod } of listWorkloads(manifests)) {
      for (const { env } of pod.containers) {
        // RETICLE_TLS_KEY is a path.
        const secret = env.filter(
          ({ name }) =>
            /KEYS?$|PASSWORD|DATABASE_URL|SASL_USER|SMTP_URL/.test(name) &&
            name !== 'RETICLE_TLS_KEY',
        )
        expect(secret.filter(({ value }) => value !== undefined)).toEqual([])
      }
    }
  })
})

test.each([
  ['gateway.replicaz=3', 'replicaz'],
  ['networkPolicy.enabeld=true', 'enabeld'],
  ['jobsWorker.autoscaling.minReplica=1', 'minReplica'],
  ['gateway.settings.RETICLE_GATEWAY_MAXBODY=1', 'RETICLE_GATEWAY_MAXBODY'],
  ['kafka.brokers={kafka}', 'brokers'],
  ['s3.endpoint=minio:9000', 'endpoint'],
  ['gateway.resources.memory=lots', 'memory'],
  ['httpRoute.enabled=true', 'parentRefs'],
  ['gateway.autoscaling.maxReplicas=1', 'minReplicas 2 is more than maxReplicas 1'],
  [
    'ingress.enabled=true,ingress.host=https://reticle.example.org',
    'ingress.host: expected a name',
  ],
])('the setting %s is refused', async (setting, named) => {
  await expect(renderManifests('--set', setting)).rejects.toThrow(named)
})

describe('deployments', () => {
  const named = async (...args: string[]) => {
    const found = listWorkloads(await renderManifests(...args)).filter(
      ({ kind }) => kind === 'Deployment',
    )
    return new Map(found.map((one) => [one.metadata.name.replace('r-reticle-', ''), one]))
  }
  const services = ['projects', 'annotations', 'jobs', 'webhooks']

  test('there is one per process, with its termination grace period', async () => {
    const found = [...(await named())].map(([name, { pod }]) => [
      name,
      pod.terminationGracePeriodSeconds,
    ])
    expect(Object.fromEntries(found)).toEqual({
      gateway: 40,
      projects: 40,
      annotations: 40,
      jobs: 40,
      'jobs-worker': 120,
      webhooks: 30,
    })
  })

  test('gRPC services are probed by gRPC, and no liveness probe depends on another service', async () => {
    for (const [name, { pod }] of await named()) {
      const [container] = pod.containers
      const path = services.includes(name) ? undefined : '/readyz'
      expect(container?.readinessProbe?.grpc?.port, name).toBe(path ? undefined : 50051)
      expect(container?.readinessProbe).toMatchObject({ periodSeconds: 5, failureThreshold: 2 })
      expect(container?.readinessProbe?.httpGet?.path).toBe(path)
      expect(container?.startupProbe).toMatchObject({ periodSeconds: 2, failureThreshold: 60 })
      expect(container?.livenessProbe).toMatchObject({
        httpGet: { path: '/healthz', port: 'metrics' },
        periodSeconds: 10,
        failureThreshold: 6,
      })
    }
  })

  test('with TLS they are probed by HTTP, because the kubelet has no client certificate', async () => {
    for (const [, { pod }] of await named('--set', 'tls.existingSecret=internal')) {
      expect(pod.containers[0]?.readinessProbe?.httpGet?.path).toBe('/readyz')
    }
  })

  test('pods are replaced one by one, and stop after traffic has moved away', async () => {
    for (const [, { spec, pod }] of await named()) {
      expect(spec).toMatchObject({
        strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      })
      expect(pod.containers[0]).toMatchObject({ lifecycle: { preStop: { sleep: { seconds: 5 } } } })
    }
  })
})

test('configured certificate authorities are trusted by every process and every migration', async () => {
  const all = listWorkloads(
    await renderManifests('--set', 'authorities.existingSecret=our-authorities'),
  )
  const given = all.filter(({ kind }) => kind !== 'Pod')
  for (const { metadata, pod } of given) {
    const [container] = pod.containers
    const path = '/etc/reticle/authorities'
    expect(container?.env, metadata.name).toContainEqual({
      name: 'NODE_EXTRA_CA_CERTS',
      value: `${path}/ca.crt`,
    })
    expect(container?.volumeMounts, metadata.name).toContainEqual(
      expect.objectContaining({ name: 'authorities', mountPath: path, readOnly: true }),
    )
    expect(pod.volumes, metadata.name).toContainEqual({
      name: 'authorities',
      secret: { secretName: 'our-authorities', defaultMode: 0o440 },
    })
  }
  expect(given).toHaveLength(10)
})

test('large numbers in settings are written without an exponent', async () => {
  const found = listWorkloads(await renderManifests('-f', join(folder, 'production.yaml')))
  const [gateway] = found.filter(({ metadata }) => metadata.name === 'r-reticle-gateway')
  expect(gateway?.pod.containers[0]?.env).toContainEqual({
    name: 'RETICLE_GATEWAY_MAX_ANNOTATIONS_BODY',
    value: '1073741824',
  })
})

test('the cache of videos fits its volume, with the same size in both deployments that read videos', async () => {
  const found = listWorkloads(await renderManifests()).filter(({ metadata }) =>
    /reticle-jobs(-worker)?$/.test(metadata.name),
  )
  const rooms = found.map(({ pod }) => {
    const { env } = pod.containers[0] ?? { env: [] }
    const setting = env.find(({ name }) => name === 'RETICLE_JOBS_VIDEO_CACHE_BYTES')
    const [volume] = temporary.parse(pod.volumes)
    return {
      copies: Number(setting?.value),
      volume: Number.parseInt(volume?.emptyDir.sizeLimit ?? '', 10) * 1024 ** 3,
    }
  })
  expect(rooms).toHaveLength(2)
  expect(new Set(rooms.map(({ copies }) => copies)).size).toBe(1)
  for (const { copies, volume } of rooms) expect(copies).toBeLessThan(volume)
})

const temporary = z.array(z.object({ emptyDir: z.object({ sizeLimit: z.string().regex(/Gi$/) }) }))

const ofKind = (manifests: readonly ChartManifest[], kind: string) =>
  manifests.filter((one) => one.kind === kind)

test('gRPC services are headless, and the gateway has one address', async () => {
  const found = ofKind(await renderManifests(), 'Service').map(({ metadata, spec }) => [
    metadata.name,
    spec?.clusterIP ?? spec?.type,
  ])
  expect(Object.fromEntries(found)).toEqual({
    'r-reticle': 'ClusterIP',
    'r-reticle-projects-headless': 'None',
    'r-reticle-annotations-headless': 'None',
    'r-reticle-jobs-headless': 'None',
    'r-reticle-webhooks-headless': 'None',
  })
})

test('gateway and annotations scale by processor time', async () => {
  const found = ofKind(await renderManifests(), 'HorizontalPodAutoscaler')
  expect(found.map(({ metadata }) => metadata.name).sort()).toEqual([
    'r-reticle-annotations',
    'r-reticle-gateway',
  ])
  for (const { spec } of found) {
    expect(spec).toMatchObject({
      minReplicas: 2,
      maxReplicas: 10,
      metrics: [{ resource: { target: { averageUtilization: 70 } } }],
    })
  }
})

test('an autoscaled deployment has no fixed number of pods', async () => {
  const scaled = await renderManifests('--set', 'jobsWorker.autoscaling.enabled=true')
  const [worker] = scaled.filter(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'r-reticle-jobs-worker',
  )
  expect(worker?.spec).not.toHaveProperty('replicas')
})

test('only deployments with several pods have a disruption budget', async () => {
  const budgets = async (...args: string[]) =>
    ofKind(await renderManifests(...args), 'PodDisruptionBudget').map(
      ({ metadata }) => metadata.name,
    )
  expect(await budgets()).toHaveLength(6)
  expect(await budgets('--set', 'webhooks.replicas=1')).not.toContain('r-reticle-webhooks')
})

test('only projects-svc gets mail settings: the SMTP secret, network access and the address of links', async () => {
  const manifests = await renderManifests('-f', join(folder, 'production.yaml'))
  const configured = listWorkloads(manifests).filter(({ pod }) =>
    pod.containers.some(({ env }) =>
      env.some(({ name }) => /SMTP_URL|MAIL_FROM|UI_URL/.test(name)),
    ),
  )
  expect(configured.map(({ metadata }) => metadata.name)).toEqual(['r-reticle-projects'])
  const env = configured[0]?.pod.containers[0]?.env
  expect(env).toContainEqual({ name: 'RETICLE_UI_URL', value: 'https://label.example.org' })
  expect(env).toContainEqual({
    name: 'RETICLE_PROJECTS_SMTP_URL',
    valueFrom: { secretKeyRef: { name: 'reticle-mail', key: 'smtp-url' } },
  })
  const mayMail = (found: ChartManifest[]) =>
    ofKind(found, 'NetworkPolicy').filter(({ spec }) => JSON.stringify(spec).includes('587'))
  expect(mayMail(manifests).map(({ metadata }) => metadata.name)).toEqual(['r-reticle-projects'])
  expect(mayMail(await renderManifests())).toEqual([])
})

test('remote files are configured for both jobs processes, and only the worker gets network access', async () => {
  const manifests = await renderManifests(
    '--set',
    'remoteFiles.allowedNets={10.40.0.0/16,fd00::/8}',
  )
  const nets = { name: 'RETICLE_JOBS_ALLOWED_NETS', value: '10.40.0.0/16,fd00::/8' }
  const configured = listWorkloads(manifests).filter(({ pod }) =>
    pod.containers.some(({ env }) => env.some(({ name }) => name === nets.name)),
  )
  const names = configured.map(({ metadata }) => metadata.name).sort()
  expect(names).toEqual(['r-reticle-jobs', 'r-reticle-jobs-worker'])
  for (const { pod } of configured) expect(pod.containers[0]?.env).toContainEqual(nets)
  const mayFetch = ofKind(manifests, 'NetworkPolicy').filter(({ spec }) =>
    JSON.stringify(spec).includes('"port":80}'),
  )
  expect(mayFetch.map(({ metadata }) => metadata.name)).toEqual(['r-reticle-jobs-worker'])
})

test('with an egress proxy, services that call addresses of users know it and have no other way out', async () => {
  const manifests = await renderManifests('--set', 'egressProxy.existingSecret=egress')
  const configured = listWorkloads(manifests).filter(({ pod }) =>
    pod.containers.some(({ env }) => env.some(({ name }) => name === 'RETICLE_EGRESS_PROXY')),
  )
  const outgoing = ['r-reticle-jobs-worker', 'r-reticle-projects', 'r-reticle-webhooks']
  expect(configured.map(({ metadata }) => metadata.name).sort()).toEqual(outgoing)
  const policies = ofKind(manifests, 'NetworkPolicy').map(({ metadata, spec }) => ({
    name: metadata.name,
    text: JSON.stringify(spec),
  }))
  const byProxy = policies.filter(({ text }) => text.includes('"port":4750}'))
  expect(byProxy.map(({ name }) => name).sort()).toEqual(outgoing)
  expect(policies.filter(({ text }) => text.includes('0.0.0.0/0'))).toEqual([])
})

test('KEDA scales by Kafka lag and by rows of the table', async () => {
  const manifests = await renderManifests('-f', join(folder, 'production.yaml'))
  const [scaled] = ofKind(manifests, 'ScaledObject')
  expect(scaled?.spec).toMatchObject({
    minReplicaCount: 1,
    maxReplicaCount: 40,
    triggers: [
      {
        type: 'kafka',
        metadata: {
          consumerGroup: 'reticle.workers',
          topic: 'reticle.requests.v1',
          lagThreshold: '2',
          activationLagThreshold: '0',
          allowIdleConsumers: 'true',
          sasl: 'scram_sha512',
          tls: 'enable',
        },
      },
      {
        type: 'postgresql',
        metadata: { query: 'select demand from requests.queue_depth', targetQueryValue: '2' },
      },
    ],
  })
})

test('migrations run before other objects of a release are created, one job per schema', async () => {
  const jobs = listWorkloads(await renderManifests()).filter(({ metadata }) =>
    /-migrate-/.test(metadata.name),
  )
  expect(jobs).toHaveLength(4)
  for (const { metadata, spec, pod } of jobs) {
    expect(metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
    expect(spec).toMatchObject({ backoffLimit: 3, activeDeadlineSeconds: 600 })
    expect(pod.containers[0]?.args).toEqual(['dist/main.js', 'migrate'])
    // The chart itself creates this secret later.
    const secrets = pod.containers.flatMap(({ env }) =>
      env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? []),
    )
    expect(new Set(secrets)).toEqual(new Set(['reticle-database']))
    expect(pod).not.toHaveProperty('serviceAccountName')
  }
})

test('generated keys are kept when the release is uninstalled', async () => {
  const [keys] = ofKind(await renderManifests(), 'Secret')
  expect(keys?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
  const own = await renderManifests('--set', 'keys.existingSecret=mine')
  expect(ofKind(own, 'Secret')).toEqual([])
})

test('network policies deny all traffic that is not allowed explicitly', async () => {
  const policies = ofKind(await renderManifests(), 'NetworkPolicy')
  const [all] = policies.filter(({ metadata }) => metadata.name === 'r-reticle')
  expect(all?.spec).toMatchObject({
    policyTypes: ['Ingress', 'Egress'],
    egress: [{ ports: [{ port: 53 }, { port: 53 }] }],
  })
  expect(all?.spec).not.toHaveProperty('ingress')
  expect(policies).toHaveLength(9)
})

test('the alerts equal those of deploy/observability', async () => {
  const rules = await renderManifests('--set', 'monitoring.rules.enabled=true')
  expect(ofKind(rules, 'PrometheusRule')[0]?.spec).toHaveProperty('groups')
  expect(chartFile('files/alerts.yaml')).toBe(chartFile('../../observability/alerts.yaml'))
})
