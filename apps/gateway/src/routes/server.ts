import { restOperations, tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { apiVersion } from '@reticle/contracts/openapi'
import { cloudProviders } from '@reticle/contracts/rest/cloud-storages'
import { type Capabilities, type PartFacts, shareQuery } from '@reticle/contracts/rest/server'
import type { CallContext } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import { contextOf, originOf } from '../call/request.ts'
import { dialects } from '../dialects/all.ts'
import { createInputReader } from '../operations/read.ts'
import { pathOf } from '../operations/serve.ts'
import type { GatewayPorts, GatewayServices } from '../ports.ts'
import { presentResult, sendJson } from '../responses/present.ts'
import { listGatewayLimits } from './limits.ts'

type Ports = Pick<GatewayPorts, 'services' | 'settings'>
type Answer = (input: unknown, context: CallContext) => Promise<unknown>

/** Serves the capabilities and limits of this installation. */
export function serveServer(api: FastifyInstance, { services, settings }: Ports): void {
  const { getPlugins, getCapabilities, getLimits, listShare, getUserAgreements } = tables.server
  const serve = (operation: Operation, answer: Answer) => {
    const read = createInputReader(operation, settings)
    api.get(pathOf(operation), { config: { operation } }, async (request, reply) => {
      const input = await read(request)
      const found = await answer(input, contextOf(request))
      return presentResult(operation, request, reply, found)
    })
  }
  serve(getPlugins, async () => plugins)
  serve(getCapabilities, async (_, context) => capabilitiesOf(services, settings, context))
  serve(getLimits, async (_, context) => {
    const parts = await Promise.all(
      partDescribersOf(services).map((describe) => describe({}, context)),
    )
    return Object.assign(listGatewayLimits(settings), ...parts.map(({ limits }) => limits))
  })
  serve(listShare, async (input, context) => {
    const { entries } = await services.server.readShare(shareQuery.parse(input), context)
    return entries
  })
  serve(getUserAgreements, async () => [])
}

const partDescribersOf = ({ tasks, annotations, server, webhooks }: GatewayServices) => [
  tasks.describe,
  annotations.describe,
  server.describe,
  webhooks.describe,
]

/** Whether an operation to read events exists. */
const analytics = restOperations.some(({ path }) => path === '/events/export')

/** Plugins by name; a plugin exists if the API has its paths. */
const plugins = {
  ANALYTICS: analytics,
  MODELS: restOperations.some(({ path }) => path.startsWith('/lambda/')),
  GIT_INTEGRATION: false,
  PREDICT: false,
}

async function capabilitiesOf(
  { tasks, server }: GatewayServices,
  settings: GatewayPorts['settings'],
  context: CallContext,
): Promise<Capabilities> {
  const [projectsSvc, jobsSvc] = await Promise.all([
    tasks.describe({}, context),
    server.describe({}, context),
  ])
  const can = (part: PartFacts, name: string) => part.features[name] ?? false
  const reads = (family: string) => jobsSvc.media.includes(family)
  return {
    media: jobsSvc.media,
    image_types: jobsSvc.image_types,
    video: reads('video'),
    video_decoder: jobsSvc.video_decoder ?? null,
    pdf: reads('pdf'),
    point_cloud: reads('point_cloud'),
    cloud_providers: [...cloudProviders],
    email: can(projectsSvc, 'email'),
    registration: can(projectsSvc, 'registration'),
    analytics,
    share: can(jobsSvc, 'share'),
    max_upload_bytes: settings.maxUploadBytes,
    max_jobs_per_task: projectsSvc.limits.jobs_per_task ?? 0,
    dialects: ['service', ...dialects.keys()],
  }
}

const logoPath = '/static/logo.svg'

const about = {
  name: 'Reticle',
  subtitle: 'Self-hosted image annotation',
  description: 'Projects, tasks, jobs and annotations for computer vision data',
  version: apiVersion,
}

/** Serves `GET /server/about`: name and version, by which clients decide whether they are compatible. */
export function serveAbout(api: FastifyInstance): void {
  const operation = tables.server.getAbout
  api.get(pathOf(operation), { config: { operation } }, (request, reply) => {
    reply.header('cache-control', 'no-store')
    return sendJson(request, reply, { ...about, logo_url: originOf(request) + logoPath })
  })
}

const logo = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">',
  '<g fill="none" stroke="#2b6cb0" stroke-width="4"><circle cx="32" cy="32" r="18"/>',
  '<path d="M32 4v18M32 42v18M4 32h18M42 32h18"/></g><circle cx="32" cy="32" r="3" fill="#c53030"/></svg>',
].join('')

/** Serves the image of `logo_url`. */
export function serveLogo(app: FastifyInstance): void {
  app.get(logoPath, (_request, reply) =>
    reply
      .headers({ 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' })
      .send(Buffer.from(logo)),
  )
}
